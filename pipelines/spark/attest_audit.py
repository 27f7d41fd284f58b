"""attest-audit on Apache Spark: the same audit, the same bytes, on more than one machine.

    spark-submit attest_audit.py --pipeline nightly.yaml INPUT… OUTPUT

Spark sorts and moves rows; everything that is judged is judged by the program attest-audit, which
each task starts as a child and talks to by streams of rows (`attest-audit stage`). A row is opaque
here but for its first byte, its form, and the 32 bytes behind it, by which rows are brought together.
"""

import argparse
import bisect
import collections
import dataclasses
import datetime
import os
import re
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import threading
import uuid
import zlib

# The stream of rows: "FrameFormat" of the program, and in the documentation.
MAGIC = b"AUDITROW"
HEADER_BYTES = 48
MOST_ROWS = 1 << 16
MOST_BYTES = 4 << 20
(
    SOURCE, NIGHT, PLACES, INPUT, TOTALS, MEMORY, DEVICE, EVENT, HASH, FINDING, KEY, REJECT, VERDICT,
    BUILD,
) = range(14)
# The first byte and 32 more: rows that agree in them have to come to one child.
GROUP_BYTES = 33
# Behind its form, a row of places has what it says of them, the first byte of all, and the others of each.
SEEN, REPEATED = range(2)
PLACE_HEAD, PLACE_TAIL = 3, 5
# The bytes of inputs whose places one task counts, and the most places of a task: it holds them in memory.
COUNTED_BYTES = 1 << 30
MOST_COUNTED = 32 << 20
# The most places of repeated hashes that are told to children: with more of them, all rows are shuffled by
# clientDataHash.
MOST_REPEATED = 4 << 20
# Where Spark joins small parts of a shuffle: how many bytes of rows are enough, and how few are too small.
# A row by key has some 256.
JOINED_BYTES = 128 << 20
LEAST_JOINED_BYTES = 1 << 20


class AuditFailed(Exception):
    """The audit could not be carried through; nothing was written."""

    def __init__(self, message, status=70):
        super().__init__(message)
        self.status = status


@dataclasses.dataclass(frozen=True)
class Settings:
    """What every child is told."""

    program: str
    """The program's path; where it is a bare name, that of a file sent with --files."""
    flags: tuple
    header: bytes = b""
    """The header of all streams of the audit."""
    files: tuple = ()
    """The files of settings, as names and contents: the first is the pipeline file."""
    environment: tuple = ()
    state: str = ""
    """The state that all stages read, a folder that every machine has; empty: none."""

    @property
    def joins_devices(self):
        return self.header[12] & 1 != 0

    @property
    def counts_hashes(self):
        """Whether only rows of hashes that stand in several records are shuffled by them: neither a state
        nor challenges have to be compared with each."""
        return self.header[12] & 6 == 0

    def command(self, stage, folder, flags=(), state=None):
        """Returns the command line of a stage, whose files of settings lie in the folder."""
        program = self.program
        if os.sep not in program and not shutil.which(program):
            from pyspark import SparkFiles

            program = SparkFiles.get(program)
        pipeline = os.path.join(folder, self.files[0][0])
        state = state or self.state
        remembered = ["--state", state] if state else []
        return [program, "stage", stage, "--pipeline", pipeline, *self.flags, *remembered, *flags]

    def write(self, folder):
        """Writes the files of settings into a folder."""
        for name, content in self.files:
            path = os.path.join(folder, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "wb") as file:
                file.write(content)


# MARK: Streams of rows


class RowWriter:
    """Writes a stream of rows to a child."""

    def __init__(self, file, header):
        self.file, self.checksum, self.rows, self.bytes = file, 0, 0, 0
        self._put(header)

    def _put(self, data):
        self.checksum = zlib.crc32(data, self.checksum)
        self.file.write(data)

    def rows_of(self, rows):
        """Writes some rows of bytes."""
        block, size = [], 0
        for row in rows:
            if block and (size + len(row) > MOST_BYTES or len(block) == MOST_ROWS):
                self._block(block, size)
                block, size = [], 0
            block.append(row)
            size += len(row)
        if block:
            self._block(block, size)

    def _block(self, block, size):
        offsets = [0]
        for row in block:
            offsets.append(offsets[-1] + len(row))
        self._put(struct.pack("<II", len(block), size))
        self._put(struct.pack(f"<{len(offsets)}i", *offsets))
        self._put(b"".join(block))
        self.rows += len(block)
        self.bytes += size

    def column(self, column):
        """Writes a binary column of Arrow: no row of it becomes an object of Python."""
        import pyarrow

        if len(column) == 0:
            return
        _, offsets, data = column.buffers()
        ends = memoryview(offsets).cast("i")[column.offset : column.offset + len(column) + 1]
        first = 0
        while first < len(column):
            limit = ends[first] + MOST_BYTES
            last = min(bisect.bisect_right(ends, limit, first + 1) - 1, first + MOST_ROWS)
            last = min(max(last, first + 1), len(column))
            start, end = ends[first], ends[last]
            self._put(struct.pack("<II", last - first, end - start))
            piece = ends[first : last + 1]
            if start != 0:
                numbers = pyarrow.array(piece, pyarrow.int32())
                numbers = pyarrow.compute.subtract(numbers, pyarrow.scalar(start, pyarrow.int32()))
                piece = memoryview(numbers.buffers()[1])[: 4 * len(numbers)]
            self._put(piece)
            if end > start:
                self._put(memoryview(data)[start:end])
            self.rows += last - first
            self.bytes += end - start
            first = last

    def finish(self):
        self._put(struct.pack("<IIQQ", 0, 20, self.rows, self.bytes))
        self._put(struct.pack("<I", self.checksum))
        self.file.close()


class RowReader:
    """Reads a stream of rows of a child, in blocks: (number, offsets, bytes) of each."""

    def __init__(self, file):
        self.file, self.checksum = file, 0
        self.header = self._take(HEADER_BYTES)
        if self.header[:8] != MAGIC:
            raise AuditFailed("a child wrote no stream of rows")

    def _take(self, count):
        data = self.file.read(count)
        if len(data) != count:
            raise AuditFailed("a child's stream ends early")
        self.checksum = zlib.crc32(data, self.checksum)
        return data

    def blocks(self):
        rows = size = 0
        while True:
            count, length = struct.unpack("<II", self._take(8))
            if count == 0:
                break
            offsets = self._take(4 * (count + 1))
            yield count, offsets, self._take(length)
            rows += count
            size += length
        if struct.unpack("<QQ", self._take(16)) != (rows, size):
            raise AuditFailed("a child's stream has not the rows that its trailer says")
        checksum = self.checksum
        if struct.unpack("<I", self._take(4))[0] != checksum or self.file.read(1):
            raise AuditFailed("a child's stream has another checksum than its trailer says")

    def rows(self):
        for count, offsets, data in self.blocks():
            ends = struct.unpack(f"<{count + 1}i", offsets)
            for start, end in zip(ends, ends[1:]):
                yield data[start:end]


# MARK: Children


class Child:
    """A stage at work: fed by a thread, its last words kept."""

    LAST_WORDS = 20

    def __init__(self, settings, stage, flags=(), statuses=(0,), state=None):
        self.stage, self.settings, self.statuses = stage, settings, statuses
        self.folder = tempfile.mkdtemp(prefix="attest-audit-")
        self.failure = None
        try:
            settings.write(self.folder)
            environment = {**os.environ, **dict(settings.environment), "TMPDIR": self.folder}
            self.process = subprocess.Popen(
                settings.command(stage, self.folder, ["--temp-dir", self.folder, *flags], state),
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                env=environment, bufsize=1 << 20)
        except OSError as error:
            shutil.rmtree(self.folder, ignore_errors=True)
            raise AuditFailed(f"attest-audit stage {stage} cannot be started: {error}") from None
        self.words = collections.deque(maxlen=self.LAST_WORDS)
        self.listener = threading.Thread(target=self._listen, daemon=True)
        self.listener.start()
        self.feeder = None

    def _listen(self):
        for line in self.process.stderr:
            self.words.append(line.decode("utf-8", "replace").rstrip()[:2000])

    def feed(self, write):
        """Lets `write` write all rows, in a thread of its own."""

        def run():
            try:
                writer = RowWriter(self.process.stdin, self.settings.header)
                write(writer)
                writer.finish()
            except BrokenPipeError:
                pass  # The child has failed, and says why itself.
            except BaseException as error:  # noqa: BLE001 - told to the thread that waits
                self.failure = error
                self.process.kill()

        self.feeder = threading.Thread(target=run, daemon=True)
        self.feeder.start()

    def wait(self):
        """Waits for the end and returns the status; throws with the last words unless it is good."""
        status = self.process.wait()
        self.listener.join()
        if self.feeder:
            self.feeder.join()
        if self.failure:
            raise self.failure
        if status not in self.statuses:
            raise AuditFailed(self.end(status), status if status in (64, 65, 73) else 70)
        return status

    def end(self, status):
        if status < 0:
            try:
                how = f"was ended by {signal.Signals(-status).name}"
            except ValueError:
                how = f"was ended by signal {-status}"
        else:
            how = f"ended with {status}"
        return "\n".join([f"attest-audit stage {self.stage} {how}", *self.words])

    def close(self):
        """Ends the child, whatever it does, and clears away."""
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            try:
                pipe.close()
            except OSError:
                pass
        shutil.rmtree(self.folder, ignore_errors=True)


def _batch(count, offsets, data):
    import pyarrow

    column = pyarrow.Array.from_buffers(
        pyarrow.binary(), count,
        [None, pyarrow.py_buffer(offsets), pyarrow.py_buffer(data)])
    return pyarrow.RecordBatch.from_arrays([column], ["row"])


def _rows_of(child):
    """Hands over what a child writes, and waits for its end: its status is examined first, since it
    says why a stream is broken."""
    try:
        for block in RowReader(child.process.stdout).blocks():
            yield block
    except AuditFailed:
        child.wait()
        raise
    child.wait()


# MARK: Tasks


class Counts:
    """What a run has counted so far, as accumulators of Spark."""

    NAMES = ("records", "findings", "rejects", "bytes")

    def __init__(self, context):
        for name in self.NAMES:
            setattr(self, name, context.accumulator(0))

    def totals(self, row):
        """Takes the totals of a stage: its lines, those that are not records, and its findings."""
        records, rejects, findings = struct.unpack_from("<3Q", row, 1)
        self.records.add(records)
        self.rejects.add(rejects)
        self.findings.add(findings)

    def take(self, block):
        """Looks for inputs and totals at the end of a block, where map says what it has read."""
        count, offsets, data = block
        ends = memoryview(offsets).cast("i")
        while count > 0:
            row = data[ends[count - 1] : ends[count]]
            if row[0] == TOTALS:
                self.totals(row)
            elif row[0] == INPUT:
                self.bytes.add(struct.unpack_from("<Q", row, 5)[0])
            else:
                return
            count -= 1

    def last(self, block):
        """Takes the last row of a stage that passes the rows of others on: its own totals."""
        count, offsets, data = block
        ends = memoryview(offsets).cast("i")
        self.totals(data[ends[count - 1] : ends[count]])


def _mapper(settings, counts, storage, names):
    def run(batches):
        for batch in batches:
            for packed in batch.column(0).to_pylist():
                yield from _map(settings, counts, storage, names, packed)

    return run


def _map(settings, counts, storage, names, packed):
    """Reads some sources; none of them: recalls what the state kept that is to be judged again."""
    rows, at = [], 0
    while at < len(packed):
        length = struct.unpack_from("<I", packed, at)[0]
        rows.append(packed[at + 4 : at + 4 + length])
        at += 4 + length
    flags = ["--count-hashes"] if settings.counts_hashes else []
    child = Child(settings, "map" if rows else "recall", flags)
    streams = Streams(child.folder, storage)
    try:
        rows = [streams.bring(row) for row in rows]
        wanted = (SOURCE, NIGHT) if not rows else (NIGHT,)
        rows += [row for row in names.value if row[0] in wanted]
        child.feed(lambda writer: writer.rows_of(rows))
        for block in _rows_of(child):
            counts.take(block)
            yield _batch(*block)
        streams.check()
    finally:
        streams.close()
        child.close()


def _reducer(settings, counts, stage, names):
    def run(batches):
        first = next((batch for batch in batches if batch.num_rows), None)
        if first is None:
            return
        child = Child(settings, stage)
        try:

            def write(writer):
                writer.rows_of(names.value)
                writer.column(first.column(0))
                for batch in batches:
                    writer.column(batch.column(0))

            child.feed(write)
            last = None
            for last in _rows_of(child):
                yield _batch(*last)
            counts.last(last)
        finally:
            child.close()

    return run


def _count(batches):
    """Counts the places of hashes that come to a task. Gives a row of the repeated places for each first
    byte, with the numbers of all and of repeated ones. Too many of either are only counted."""
    import pyarrow
    import pyarrow.compute

    def result(row, hashes, repeated):
        return pyarrow.RecordBatch.from_arrays(
            [
                pyarrow.array([row], pyarrow.binary()), pyarrow.array([hashes], pyarrow.int64()),
                pyarrow.array([repeated], pyarrow.int64()),
            ],
            ["row", "hashes", "repeated"])

    tails, size = collections.defaultdict(list), 0
    for batch in batches:
        for row in batch.column(0).to_pylist():
            if row[0] != PLACES or row[1] != SEEN:
                raise AuditFailed("a row came to the wrong part of a shuffle")
            size += (len(row) - PLACE_HEAD) // PLACE_TAIL
            if size <= MOST_COUNTED:
                tails[row[2]].append(row[PLACE_HEAD:])
            else:
                tails.clear()
    if size > MOST_COUNTED:
        yield result(None, size, MOST_REPEATED + 1)
        return
    total = 0
    for first, pieces in tails.items():
        data = b"".join(pieces)
        places = pyarrow.Array.from_buffers(
            pyarrow.binary(PLACE_TAIL), len(data) // PLACE_TAIL, [None, pyarrow.py_buffer(data)])
        counts = places.value_counts()
        several = counts.field("values").filter(
            pyarrow.compute.greater(counts.field("counts"), 1))
        total += len(several)
        if total > MOST_REPEATED:
            yield result(None, len(places), len(several))
            continue
        start = PLACE_TAIL * several.offset
        found = several.buffers()[1].to_pybytes()[start : start + PLACE_TAIL * len(several)]
        yield result(bytes([PLACES, REPEATED, first]) + found, len(places), len(several))


# The columns of tables that are no texts; all others are.
TABLES = {"findings": "findings.csv", "keys": "keys.csv", "verdicts": "verdicts.csv.zst"}
TIMES = {"time", "related_time", "attested_at", "first_seen", "last_seen", "receipt_created"}
NUMBERS = {
    "counter", "expected", "line", "related_line", "count", "attestations", "assertions",
    "verified", "failed", "first_counter", "last_counter", "missing_counters", "findings", "item",
    "times_seen",
}


def _write_tables(report, folder):
    """Writes the tables of a report as Parquet: a batch at a time, never one as a whole."""
    import pyarrow
    import pyarrow.csv
    import pyarrow.parquet

    def kind(column):
        if column in TIMES:
            return pyarrow.timestamp("ms", "UTC")
        return pyarrow.int64() if column in NUMBERS else pyarrow.string()

    for table, name in TABLES.items():
        path = os.path.join(report, name)
        if not os.path.exists(path):
            continue
        os.makedirs(os.path.join(folder, table))
        compression = "zstd" if name.endswith(".zst") else None
        with pyarrow.input_stream(path, compression=compression) as file:
            front = pyarrow.csv.open_csv(file)
            columns = front.schema.names
        with pyarrow.input_stream(path, compression=compression) as file:
            rows = pyarrow.csv.open_csv(
                file, convert_options=pyarrow.csv.ConvertOptions(
                    column_types={column: kind(column) for column in columns},
                    strings_can_be_null=False, null_values=[""]))
            place = os.path.join(folder, table, "part-0.parquet")
            with pyarrow.parquet.ParquetWriter(place, rows.schema, compression="zstd") as writer:
                for batch in rows:
                    writer.write_batch(batch)


def _reporter(settings, names, out, tables, state, storage):
    def run(batches):
        import pyarrow

        folder = tempfile.mkdtemp(prefix="attest-audit-")
        place = storage.path(out) or os.path.join(folder, "report")
        advanced = None
        if state is not None:
            # A copy of its own: what another attempt has left is nobody's state.
            advanced = f"{state}.{uuid.uuid4().hex}"
            copy_state(settings.state, advanced)
        child = Child(
            settings, "report", ["--out", place, "--overwrite", "--quiet"],
            statuses=(0, 1, 2), state=advanced)
        try:

            def write(writer):
                writer.rows_of(names.value)
                for batch in batches:
                    writer.column(batch.column(0))

            child.feed(write)
            while child.process.stdout.read(1 << 16):
                pass
            status = child.wait()
            if tables is not None:
                table_place = storage.path(tables) or os.path.join(folder, "tables")
                shutil.rmtree(table_place, ignore_errors=True)
                _write_tables(place, table_place)
                if storage.path(tables) is None:
                    storage.put(table_place, tables)
            if storage.path(out) is None:
                storage.put(place, out)
            if state is not None:
                shutil.rmtree(state, ignore_errors=True)
                os.rename(advanced, state)
        finally:
            child.close()
            shutil.rmtree(folder, ignore_errors=True)
            if advanced is not None:
                shutil.rmtree(advanced, ignore_errors=True)
        yield pyarrow.RecordBatch.from_arrays(
            [pyarrow.array([status], pyarrow.int32())], ["status"])

    return run


# MARK: States

# What only concerns whoever has the state open.
UNSHARED = {"lock", "intent", "intent.new"}
SEGMENT = ".seg"


def copy_state(state, copy):
    """Copies a state with its generations: the databases, and the segments as links if the file system has
    links, since a segment is never changed."""
    os.mkdir(copy, 0o700)
    for name in os.listdir(state):
        path, place = os.path.join(state, name), os.path.join(copy, name)
        if os.path.isdir(path):
            copy_state(path, place)
        elif name.endswith(SEGMENT):
            try:
                os.link(path, place)
            except OSError:
                shutil.copyfile(path, place)
        elif name not in UNSHARED:
            shutil.copyfile(path, place)


class State:
    """The state of a run: that of the night before as all stages read it, and that which it leaves. Both
    lie beside the folder that it will be, and are nothing before it is."""

    def __init__(self, came_from, leads_to, run):
        if leads_to is None:
            raise AuditFailed("--state-in needs --state-out: no state is ever changed", 64)
        paths = [Storage.path(uri) for uri in (came_from or leads_to, leads_to)]
        if None in paths:
            raise AuditFailed("states are folders that every machine has, and no URIs of a store", 64)
        before, self.place_text = (os.path.abspath(path) for path in paths)
        parent, name = os.path.split(self.place_text)
        self.read = os.path.join(parent, f".{name}.read-{run}")
        self.next = os.path.join(parent, f".{name}.next-{run}")
        if os.path.lexists(self.place_text):
            raise AuditFailed(f"{leads_to} exists already", 73)
        if came_from is not None:
            if not os.path.isfile(os.path.join(before, "state.sqlite")):
                raise AuditFailed(f"there is no state at {came_from}", 70)
            if os.stat(before).st_mode & 0o022:
                raise AuditFailed(
                    f"others can write into the state {came_from}, and so decide what is found", 70)
        try:
            if came_from is not None:
                copy_state(before, self.read)
        except OSError as error:
            self.clear()
            raise AuditFailed(f"{leads_to} cannot be written: {error}", 73) from None

    def place(self):
        if os.path.lexists(self.place_text):
            raise AuditFailed(f"{self.place_text} exists already", 73)
        os.rename(self.next, self.place_text)

    def clear(self):
        parent, name = os.path.split(self.next)
        for left in os.listdir(parent) if os.path.isdir(parent) else ():
            if left.startswith(name):
                shutil.rmtree(os.path.join(parent, left), ignore_errors=True)
        shutil.rmtree(self.read, ignore_errors=True)


# MARK: Files


@dataclasses.dataclass(frozen=True)
class Storage:
    """Hadoop's file systems, as executors reach them: by Hadoop's own shell, a stream each."""

    java: str
    classpath: str
    properties: tuple

    @staticmethod
    def path(uri):
        """Returns the path of a file that every machine has at the same place, or None."""
        if uri.startswith("file:"):
            return re.sub("^file:/*", "/", uri)
        return None if re.match("[A-Za-z][A-Za-z0-9+.-]*:/", uri) else uri

    def command(self, folder, *arguments):
        """Returns the command line of Hadoop's shell, whose settings are written into a folder: on a
        command line all could read them."""
        import xml.sax.saxutils

        items = "".join(
            f"<property><name>{xml.sax.saxutils.escape(name)}</name>"
            f"<value>{xml.sax.saxutils.escape(value)}</value></property>"
            for name, value in self.properties)
        path = os.path.join(folder, "core-site.xml")
        if not os.path.exists(path):
            with open(f"{path}.{uuid.uuid4().hex}", "w", encoding="utf-8") as file:
                file.write(f"<configuration>{items}</configuration>")
            os.rename(file.name, path)
        places = [folder, os.environ.get("HADOOP_CONF_DIR"), self.classpath]
        return [
            self.java, "-Xmx256m", "-cp", os.pathsep.join(place for place in places if place),
            "org.apache.hadoop.fs.FsShell", *arguments]

    def put(self, folder, uri):
        """Copies a folder to a store."""
        done = subprocess.run(
            self.command(os.path.dirname(folder), "-put", "-f", folder, uri),
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
            check=False)
        if done.returncode:
            words = done.stderr.decode("utf-8", "replace")[-2000:]
            raise AuditFailed(f"{uri} cannot be written: {words}", 73)


class Streams:
    """The inputs of a child that lie on no disk of its own: each a pipe with a name, filled by a
    process that copies it from its storage."""

    def __init__(self, folder, storage):
        self.folder, self.storage, self.pipes, self.failures = folder, storage, [], []
        self.processes, self.isOver = [], False

    def bring(self, row):
        """Returns a source's row with a path that the child can open."""
        number, origin, size, name, path, _ = _source(row)
        if origin != 0 or Storage.path(path) is not None:
            return row
        pipe = os.path.join(self.folder, f"input-{number}")
        os.mkfifo(pipe, 0o600)
        thread = threading.Thread(target=self._fill, args=(pipe, path), daemon=True)
        thread.start()
        self.pipes.append((pipe, thread))
        return source_row(number, name, pipe, size)

    def _fill(self, pipe, uri):
        with open(pipe, "wb") as file:
            if self.isOver:
                return
            process = subprocess.Popen(
                self.storage.command(self.folder, "-cat", uri), stdin=subprocess.DEVNULL, stdout=file,
                stderr=subprocess.PIPE)
            self.processes.append(process)
        words = process.stderr.read().decode("utf-8", "replace")[-2000:]
        if process.wait() and not self.isOver:
            self.failures.append(f"{uri} cannot be read: {words}")

    def check(self):
        """Throws unless every input was read to its end."""
        for _, thread in self.pipes:
            thread.join()
        if self.failures:
            raise AuditFailed("\n".join(self.failures))

    def close(self):
        self.isOver = True
        for process in self.processes:
            process.kill()
        for pipe, thread in self.pipes:
            if thread.is_alive():
                # Whoever waits for a reader finds one, and that nobody wants to know.
                try:
                    os.close(os.open(pipe, os.O_RDONLY | os.O_NONBLOCK))
                except OSError:
                    pass


def source_row(number, name, path, size, why=None, rest=b"\0"):
    """Returns the row of a source; `why` says why it cannot be read, and `rest` which file was planned,
    and which part of it is read."""
    name, path = os.fsencode(name), os.fsencode(path if why is None else why)
    front = struct.pack(">BIB", SOURCE, number, 0 if why is None else 1) + struct.pack("<Q", size)
    return b"".join([
        front, struct.pack("<I", len(name)), name, struct.pack("<I", len(path)), path, rest])


def _source(row):
    """Returns number, origin, size, name and path of a source's row, and what stands behind them."""
    number, origin = struct.unpack_from(">IB", row, 1)
    size, length = struct.unpack_from("<QI", row, 6)
    at = 18 + length
    end = at + 4 + struct.unpack_from("<I", row, at)[0]
    return (
        number, origin, size, os.fsdecode(row[18:at]), os.fsdecode(row[at + 4 : end]), row[end:])


def _absolute(row):
    """Returns a source's row whose path does not depend on the folder that a process works in."""
    number, origin, size, name, path, rest = _source(row)
    return row if origin != 0 else source_row(number, name, os.path.abspath(path), size, rest=rest)


# MARK: The driver


class Mapping:
    """A mapping of a YAML file, whose values stay as they are written."""

    def __init__(self, node):
        import yaml

        self.pairs = node.value if isinstance(node, yaml.MappingNode) else []

    def get(self, name):
        """Returns the node of a member, or None."""
        return next((value for key, value in self.pairs if key.value == name), None)

    def drop(self, *names):
        self.pairs[:] = [pair for pair in self.pairs if pair[0].value not in names]


def read_settings(program, pipeline, date, flags=(), remembers=False):
    """Reads a pipeline file and the files that it names, for machines that have none of them;
    `remembers`: there is a state."""
    import yaml

    try:
        with open(pipeline, encoding="utf-8") as file:
            text = file.read()
        root = yaml.compose(text, yaml.SafeLoader)
    except (OSError, yaml.YAMLError, UnicodeDecodeError) as error:
        raise AuditFailed(f"{pipeline}: {error}", 65) from None
    if not isinstance(root, yaml.MappingNode):
        raise AuditFailed(f"{pipeline}: it contains no settings", 65)
    names = set(re.findall(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}", text)) - {"date"}
    environment = {name: os.environ[name] for name in sorted(names) if name in os.environ}
    files = []

    def bring(node):
        """Takes the file that a node names along, and lets the node name the copy."""
        if not isinstance(node, yaml.ScalarNode):
            return
        found = node.value.replace("${date}", date)
        for key, value in environment.items():
            found = found.replace("${%s}" % key, value)
        path = os.path.join(os.path.dirname(os.path.abspath(pipeline)), found)
        try:
            with open(path, "rb") as file:
                content = file.read()
        except OSError as error:
            raise AuditFailed(f"{pipeline}: {error}", 65) from None
        node.value = f"{len(files)}/{os.path.basename(path)}"
        files.append((node.value, content))

    tree = Mapping(root)
    schema = tree.get("schema")
    if isinstance(schema, yaml.ScalarNode) and re.search(r"[/.]", schema.value):
        bring(schema)
    bring(tree.get("keys"))
    trust = Mapping(tree.get("trust"))
    for member in ("anchors", "receiptAnchors"):
        anchors = trust.get(member)
        for node in anchors.value if isinstance(anchors, yaml.SequenceNode) else []:
            bring(node)
    # Each child is told these.
    tree.drop("inputs")
    Mapping(tree.get("limits")).drop("memory", "jobs", "tempDir")
    Mapping(tree.get("report")).drop("out", "overwrite", "metrics")
    state = Mapping(tree.get("state"))
    if remembers:
        state.drop("dir")
    elif state.get("dir") is not None:
        raise AuditFailed(
            f"{pipeline}: state.dir is not read here: --state-in and --state-out name states", 64)
    else:
        tree.drop("state")
    files.insert(0, ("pipeline.yaml", yaml.serialize(root, Dumper=yaml.SafeDumper).encode()))
    return Settings(
        program=program, flags=("--date", date, *flags), files=tuple(files),
        environment=tuple(environment.items()))


def _plan(settings, command, folder, inputs):
    """Runs `stage plan` on the driver: the header of all streams, and the rows of the sources."""
    environment = {**os.environ, **dict(settings.environment), "TMPDIR": folder}
    try:
        done = subprocess.run(
            [*command, *inputs], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, env=environment, check=False)
    except OSError as error:
        raise AuditFailed(f"attest-audit cannot be started: {error}") from None
    words = done.stderr.decode("utf-8", "replace").strip()
    if done.returncode:
        raise AuditFailed(words or f"stage plan ended with {done.returncode}", done.returncode)
    if words:
        print(words, file=sys.stderr)
    import io

    reader = RowReader(io.BytesIO(done.stdout))
    return reader.header, list(reader.rows())


def _find(context, inputs):
    """Lists inputs through Hadoop's file systems: files, folders with all below them, and globs, in
    byte order of their paths each."""
    hadoop = context._jvm.org.apache.hadoop.fs
    rows = []
    for uri in inputs:
        path = hadoop.Path(uri)
        system = path.getFileSystem(context._jsc.hadoopConfiguration())
        found = []
        for status in system.globStatus(path) or []:
            if status.isFile():
                found.append((status.getPath().toString(), status.getLen()))
                continue
            files = system.listFiles(status.getPath(), True)
            while files.hasNext():
                status = files.next()
                found.append((status.getPath().toString(), status.getLen()))
        found.sort(key=lambda item: item[0].encode())
        if not found:
            rows.append(source_row(len(rows), uri, "", 0, why="no file matches it"))
        for name, size in found:
            rows.append(source_row(len(rows), name, name, size))
    return rows


def _groups(rows, limit, most):
    """Divides sources among tasks: by their sizes, in order."""
    group, size = [], 0
    for row in rows:
        if group and (size + _source(row)[2] > limit or len(group) == most):
            yield group
            group, size = [], 0
        group.append(row)
        size += _source(row)[2]
    if group:
        yield group


def _parts(spark):
    """Returns the number of parts of a shuffle."""
    return int(
        spark.conf.get("spark.sql.adaptive.coalescePartitions.initialPartitionNum", None)
        or spark.conf.get("spark.sql.shuffle.partitions"))


def _digest(number):
    """Returns the digest of a number by which Spark divides rows: MurmurHash3 of its 8 bytes, seed 42."""
    mask, digest = 0xFFFFFFFF, 42

    def turned(value, bits):
        return (value << bits | value >> (32 - bits)) & mask

    for word in (number & mask, number >> 32):
        word = turned(word * 0xCC9E2D51 & mask, 15) * 0x1B873593 & mask
        digest = (turned(digest ^ word, 13) * 5 + 0xE6546B64) & mask
    digest ^= 8
    digest = (digest ^ digest >> 16) * 0x85EBCA6B & mask
    digest = (digest ^ digest >> 13) * 0xC2B2AE35 & mask
    digest ^= digest >> 16
    return digest - (1 << 32) if digest >> 31 else digest


def _place(index, parts):
    """Returns a column by which Spark divides rows among parts as the column `index` says, from 0 on: it
    divides by digests, here of numbers that have the parts as digests."""
    from pyspark.sql import functions

    numbers, number = {}, 0
    while len(numbers) < parts:
        numbers.setdefault(_digest(number) % parts, number)
        number += 1
    array = functions.array(
        *[functions.lit(numbers[part]).cast("long") for part in range(parts)])
    return functions.element_at(array, index.cast("int") + 1)


def _ranges(spark):
    """Returns a column that divides rows by ranges of keys, devices and clientDataHashes, so that a child
    reads one range of a state; others by chance."""
    from pyspark.sql import functions

    parts = _parts(spark)
    head = functions.conv(functions.hex(functions.substring("row", 2, 4)), 16, 10).cast("long")
    form = functions.hex(functions.substring("row", 1, 1))
    ranged = functions.floor(head * parts / (1 << 32)).cast("int")
    other = functions.pmod(functions.hash("row"), functions.lit(parts))
    is_ranged = form.isin([f"{form:02X}" for form in (DEVICE, EVENT, HASH)])
    return _place(functions.when(is_ranged, ranged).otherwise(other), parts)


class CountedShuffle:
    """The first shuffle of a run, where hashes are counted. Places of hashes have parts of their own, which
    are read first: so it is known which hashes are repeated before a child judges keys. Each row is moved
    once, and kept nowhere but in the files of the shuffle. Spark's interface for Python cannot read some of
    the parts of a shuffle, so its engine is asked for them."""

    def __init__(self, spark, rows, input_bytes):
        from pyspark.sql import functions

        self.spark, self.parts = spark, _parts(spark)
        self.counted_parts = int(min(256, 1 + input_bytes // COUNTED_BYTES))
        group = functions.substring("row", 1, GROUP_BYTES)
        is_place = functions.substring("row", 1, 1) == functions.lit(bytes([PLACES]))
        first = functions.conv(functions.hex(functions.substring("row", 3, 1)), 16, 10).cast("long")
        index = functions.when(
            is_place, self.parts + functions.floor(first * self.counted_parts / 256)
        ).otherwise(functions.pmod(functions.hash(group), functions.lit(self.parts)))
        parts = self.parts + self.counted_parts
        self.frame = rows.repartition(parts, _place(index, parts))
        # Where Spark is adaptive, the sources are read now.
        self.shuffled = self.frame._jdf.queryExecution().toRdd()

    def _frame(self, first, end, joined=None):
        """Returns the rows of some of the parts, brought into `joined` parts if that is fewer."""
        from pyspark.sql import DataFrame

        context = self.spark.sparkContext
        bits = (1 << end) - (1 << first)
        words = context._gateway.new_array(context._jvm.long, end // 64 + 1)
        for place in range(len(words)):
            word = bits >> 64 * place & (1 << 64) - 1
            words[place] = word - (1 << 64) if word >> 63 else word
        chosen = context._jvm.scala.collection.immutable.BitSet.fromBitMask(words)
        rows = context._jvm.org.apache.spark.rdd.PartitionPruningRDD.create(self.shuffled, chosen)
        if joined is not None and joined < end - first:
            rows = rows.toJavaRDD().coalesce(joined).rdd()
        frame = self.spark._jsparkSession.internalCreateDataFrame(
            rows, self.frame._jdf.schema(), False)
        return DataFrame(frame, self.spark)

    def rows(self, hashes):
        """Returns the rows but for the places, of that many hashes."""
        joined = None
        names = ("spark.sql.adaptive.enabled", "spark.sql.adaptive.coalescePartitions.enabled")
        if all(self.spark.conf.get(name) == "true" for name in names):
            size, cores = hashes * 256, self.spark.sparkContext.defaultParallelism
            joined = max(
                1, size // JOINED_BYTES, min(cores, size // LEAST_JOINED_BYTES))
        return self._frame(0, self.parts, joined)

    def count(self):
        """Returns how many hashes there are, and the rows of places that say which are repeated: none where
        these are too many."""
        found = (
            self._frame(self.parts, self.parts + self.counted_parts)
            .mapInArrow(_count, "row binary, hashes long, repeated long").collect())
        hashes = sum(row["hashes"] for row in found)
        if sum(row["repeated"] for row in found) > MOST_REPEATED:
            return hashes, []
        step = PLACE_TAIL * (1 << 17)
        rows = [bytes([PLACES, REPEATED, 0])]
        for row in found:
            head, tails = row["row"][:PLACE_HEAD], row["row"][PLACE_HEAD:]
            rows += [
                bytes(head + tails[start : start + step]) for start in range(0, len(tails), step)]
        return hashes, sorted(rows)


def _storage(spark):
    context = spark.sparkContext
    system = context._jvm.java.lang.System
    conf = context.getConf().getAll()
    prefix = "spark.hadoop."
    jars = os.path.join(os.environ.get("SPARK_HOME") or os.path.dirname(
        sys.modules["pyspark"].__file__), "jars", "*")
    return Storage(
        java=os.path.join(system.getProperty("java.home"), "bin", "java"), classpath=jars,
        properties=tuple(
            (name[len(prefix):], value) for name, value in conf if name.startswith(prefix)))


@dataclasses.dataclass(frozen=True)
class Result:
    """What a run came to."""

    status: int
    """As attest-audit audit ends: 0, 1, or 2."""
    output: str
    records: int
    findings: int
    rejects: int
    bytes: int


def audit(
    spark, inputs, output, pipeline, *, tables=None, program="attest-audit", date=None,
    memory="512MiB", jobs=None, partition_bytes=128 << 20, state_in=None, state_out=None,
):
    """Audits `inputs` by the settings of `pipeline` and writes the report folder `output`.

    Inputs are paths and URIs of files, folders and globs; without any, those of the pipeline file.
    `program` is the path of attest-audit on every machine, or the name of a file sent with --files.
    `tables` is a folder for findings, keys, and verdicts (with report.verdicts) as Parquet.
    Each child takes at most `memory`, and `jobs` threads: as many as Spark counts for a task.
    `state_in` is the state that the night before left, or None on the first; `state_out` the folder of
    the one that this run leaves, which every machine has. Without either the run stands alone.

    Throws AuditFailed; nothing is left of the output then.
    """
    context = spark.sparkContext
    context.addPyFile(os.path.abspath(__file__))
    date = date or str(
        datetime.datetime.now(datetime.timezone.utc).date() - datetime.timedelta(days=1))
    jobs = jobs or int(spark.conf.get("spark.task.cpus", "1"))
    remembers = state_in is not None or state_out is not None
    settings = read_settings(
        program, pipeline, date, ("--memory", memory, "--jobs", str(jobs)), remembers)
    storage = _storage(spark)
    run = uuid.uuid4().hex[:12]
    state = State(state_in, state_out, run) if remembers else None
    if state is not None:
        settings = dataclasses.replace(settings, state=state.read)
    try:
        return _audit(
            spark, inputs, output, pipeline, tables, settings, storage, run, state, partition_bytes)
    finally:
        if state is not None:
            state.clear()


def _audit(
    spark, inputs, output, pipeline, tables, settings, storage, run, state, partition_bytes,
):
    from py4j.protocol import Py4JJavaError
    from pyspark.errors import PySparkException
    from pyspark.sql import functions

    context = spark.sparkContext
    folder = tempfile.mkdtemp(prefix="attest-audit-")
    try:
        settings.write(folder)
        command = settings.command("plan", folder)
        # Alone on its machine, it looks through everything.
        command[command.index("--jobs") + 1] = "0"
        command[command.index("--pipeline") + 1] = pipeline
        local = [uri for uri in inputs if Storage.path(uri) is not None]
        if local and len(local) < len(inputs):
            raise AuditFailed("inputs are paths or URIs of a storage, and not both", 64)
        if state is not None and inputs and not local:
            raise AuditFailed(
                "with a state, inputs are paths that every machine has, and no URIs of a store", 64)
        header, sources = _plan(settings, command, folder, [Storage.path(uri) for uri in local])
        # The copies of the settings say the same, or no task would begin.
        copied, _ = _plan(settings, settings.command("plan", folder), folder, [])
        if copied != header:
            raise AuditFailed(f"{pipeline}: its settings cannot be sent to other machines", 65)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    if inputs and not local:
        sources = _find(context, inputs)
    else:
        sources = [_absolute(row) if row[0] == SOURCE else row for row in sources]
    if not any(row[0] == SOURCE for row in sources):
        raise AuditFailed("no input is given", 64)
    settings = dataclasses.replace(settings, header=header)
    targets = [Target(context, place, run) for place in (tables, output) if place is not None]
    partial = [target.partial for target in targets]
    names = context.broadcast(sources)
    told = names
    counts = Counts(context)
    groups = [
        (bytearray(b"".join(struct.pack("<I", len(row)) + row for row in group)),)
        for group in _groups(
            [row for row in sources if row[0] == SOURCE], partition_bytes, 64)]
    if state is not None:
        groups.append((bytearray(),))
    frame = spark.createDataFrame(
        context.parallelize(groups, len(groups)), "sources binary")
    rows = frame.mapInArrow(_mapper(settings, counts, storage, names), "row binary")
    stages = (["devices"] if settings.joins_devices else []) + ["keys", "hashes"]
    # As many parts as spark.sql.shuffle.partitions says, of which Spark joins small neighbours.
    place = functions.substring("row", 1, GROUP_BYTES) if state is None else _ranges(spark)
    try:
        for stage in stages:
            if stage == stages[0] and settings.counts_hashes:
                shuffle = CountedShuffle(spark, rows, sum(
                    _source(row)[2] for row in sources if row[0] == SOURCE))
                hashes, repeated = shuffle.count()
                if repeated:
                    told = context.broadcast(sources + repeated)
                rows = shuffle.rows(hashes)
            else:
                rows = rows.repartition(place)
            rows = rows.sortWithinPartitions("row").mapInArrow(
                _reducer(settings, counts, stage, told if stage == "keys" else names), "row binary")
        report = (
            rows.repartition(1).sortWithinPartitions("row")
            .mapInArrow(
                _reporter(
                    settings, names, partial[-1], partial[0] if tables is not None else None,
                    state.next if state is not None else None, storage),
                "status int"))
        status = report.collect()[0]["status"]
        placed = []
        try:
            for target in targets:
                target.place()
                placed.append(target)
            if state is not None:
                state.place()
        except BaseException:
            for target in placed:
                target.take_back()
            raise
    except (PySparkException, Py4JJavaError) as error:
        raise AuditFailed(f"the audit failed: {error}") from error
    finally:
        for target in targets:
            target.clear()
        names.unpersist()
        if told is not names:
            told.unpersist()
    return Result(
        status, output, *(getattr(counts, name).value for name in Counts.NAMES))


class Target:
    """The output folder: it appears whole, or not at all."""

    def __init__(self, context, output, run):
        self.output = output.rstrip("/")
        hadoop = context._jvm.org.apache.hadoop.fs
        uri = Storage.path(self.output)
        self.place_text = os.path.abspath(uri) if uri is not None else self.output
        parent, name = self.place_text.rsplit("/", 1)
        self.partial = f"{parent}/.{name}.partial-{run}"
        scheme = "file://" if uri is not None else ""
        self.path = hadoop.Path(scheme + self.place_text)
        self.partial_path = hadoop.Path(scheme + self.partial)
        try:
            self.system = self.path.getFileSystem(context._jsc.hadoopConfiguration())
            if self.system.exists(self.path):
                raise AuditFailed(f"{output} exists already", 73)
            if not self.system.exists(self.path.getParent()):
                raise AuditFailed(f"the folder of {output} does not exist", 73)
        except AuditFailed:
            raise
        except Exception as error:
            raise AuditFailed(f"{output} cannot be written: {error}", 73) from None

    def place(self):
        if self.system.exists(self.path) or not self.system.rename(self.partial_path, self.path):
            raise AuditFailed(f"{self.output} cannot be put in place", 73)

    def take_back(self):
        self.system.delete(self.path, True)

    def clear(self):
        self.system.delete(self.partial_path, True)


def main(arguments=None):
    parser = argparse.ArgumentParser(
        prog="attest_audit.py", description="Audits App Attest logs on Apache Spark.")
    parser.add_argument("--pipeline", required=True, help="the pipeline file, on the driver")
    parser.add_argument(
        "--program", default="attest-audit",
        help="attest-audit on every machine, or the name of a file sent with --files")
    parser.add_argument("--tables", help="a folder for findings, keys and verdicts as Parquet")
    parser.add_argument("--state-in", help="the state that the night before left, a folder")
    parser.add_argument("--state-out", help="the folder of the state that this night leaves")
    parser.add_argument("--date", help="the day of the run (default: yesterday, UTC)")
    parser.add_argument(
        "--memory", default="512MiB", help="a bound on each child (default: %(default)s)")
    parser.add_argument(
        "places", nargs="+", metavar="INPUT… OUTPUT",
        help="files, folders and globs, paths or URIs, and the report folder")
    chosen = parser.parse_args(arguments)
    from pyspark.sql import SparkSession

    spark = SparkSession.builder.appName("attest-audit").getOrCreate()
    try:
        result = audit(
            spark, chosen.places[:-1], chosen.places[-1], chosen.pipeline,
            tables=chosen.tables, program=chosen.program, date=chosen.date,
            memory=chosen.memory, state_in=chosen.state_in, state_out=chosen.state_out)
    except AuditFailed as error:
        print(f"attest_audit.py: error: {error}", file=sys.stderr)
        return error.status
    finally:
        spark.stop()
    print(
        f"{result.records} records, {result.findings} findings, {result.rejects} rejects, "
        f"{result.bytes} bytes: {result.output}", file=sys.stderr)
    return result.status


if __name__ == "__main__":
    sys.exit(main())
