"""Tests of attest_audit.py: what Spark's runs find is what one machine finds, byte for byte.

usage: .build/spark/bin/python pipelines/spark/test_attest_audit.py [TESTS…]

ATTEST_AUDIT_PROGRAM names the program (default: .build/debug/attest-audit). `pipelines/test --spark`
runs them.
"""

import csv
import datetime
import glob
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import unittest.mock

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
PROGRAM = os.path.abspath(
    os.environ.get("ATTEST_AUDIT_PROGRAM", os.path.join(ROOT, ".build/debug/attest-audit")))
FORGE = os.path.join(ROOT, ".build/debug/attest-forge")
MASTER = "local-cluster[2,1,1024]"
DAY = "2026-11-21"
VECTORS = os.path.join(
    os.environ.get("ATTEST_AUDIT_SHARED", os.path.join(os.path.dirname(ROOT), "shared")), "vectors")

os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
# These runs are too short for the better of Java's two compilers.
os.environ.setdefault("JDK_JAVA_OPTIONS", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC")
sys.path.insert(0, HERE)

import attest_audit  # noqa: E402


def session(master=MASTER, **conf):
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.master(master).appName("attest-audit tests")
    settings = {
        "spark.ui.enabled": "false", "spark.ui.showConsoleProgress": "false",
        "spark.log.level": "OFF",
        # Small parts stay parts here.
        "spark.sql.adaptive.coalescePartitions.enabled": "false",
        "spark.sql.shuffle.partitions": "7",
        "spark.hadoop.fs.viewfs.mounttable.store.link./data": "file://" + SCRATCH,
        "spark.local.dir": os.path.join(SCRATCH, "spark"), **conf,
    }
    for name, value in settings.items():
        builder = builder.config(name, value)
    return builder.getOrCreate()


SCRATCH = tempfile.mkdtemp(prefix="attest-spark-")


def forge(name, *flags):
    folder = os.path.join(SCRATCH, name)
    subprocess.run(
        [FORGE, "--out", folder, *flags], check=True, stdout=subprocess.DEVNULL)
    return folder


def one_machine(folder, inputs=(), pipeline="pipeline.yaml", more=()):
    """Audits on one machine into the folder `one`; returns the status."""
    shutil.rmtree(os.path.join(folder, "one"), ignore_errors=True)
    return subprocess.run(
        [PROGRAM, "audit", "--pipeline", os.path.join(folder, pipeline), "--quiet", "--date", DAY,
         "--out", os.path.join(folder, "one"), *more, *inputs], stderr=subprocess.DEVNULL,
        check=False).returncode


def wrapper(name, body):
    """Returns a program that does something else than attest-audit now and then."""
    path = os.path.join(SCRATCH, name)
    with open(path, "w", encoding="utf-8") as file:
        file.write("#!/bin/bash\n" + body.replace("PROGRAM", PROGRAM))
    os.chmod(path, 0o755)
    return path


# Spark puts archives on the path of Python, which reads their whole indexes again with each task. The same
# modules are installed.
os.environ["PYSPARK_PYTHON"] = wrapper("python", f'unset PYTHONPATH\nexec {sys.executable} "$@"')


class SparkTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.spark = session()

    def audit(
        self, folder, inputs=(), program=PROGRAM, out=None, pipeline="pipeline.yaml", **more,
    ):
        out = out or os.path.join(folder, "many")
        shutil.rmtree(os.path.join(folder, "many"), ignore_errors=True)
        return attest_audit.audit(
            self.spark, list(inputs), out, os.path.join(folder, pipeline), program=program,
            date=DAY, memory="64MiB", partition_bytes=1 << 15, **more)

    def assertSame(self, folder, result, status, but=()):
        """Throws unless the folders `one` and `many` hold the same."""
        self.assertEqual(result.status, status)
        names = sorted(os.listdir(os.path.join(folder, "one")))
        self.assertEqual(names, sorted(os.listdir(os.path.join(folder, "many"))))
        self.assertIn("findings.csv", names)
        for name in names:
            one, many = (os.path.join(folder, place, name) for place in ("one", "many"))
            with open(one, "rb") as left, open(many, "rb") as right:
                if name == "summary.json":
                    totals = [json.load(file) for file in (left, right)]
                    self.assertEqual(totals[0]["records"]["lines"], result.records)
                    self.assertEqual(totals[0]["findings"]["total"], result.findings)
                    self.assertEqual(totals[0]["records"]["unreadable"], result.rejects)
                    for total in totals:
                        del total["run"]
                        total.get("settings", {}).pop("state", None)
                    self.assertEqual(*totals)
                elif name != "manifest.json" and name not in but:
                    self.assertEqual(left.read(), right.read(), name)

    def assertSameState(self, one, many):
        for kind in ("events", "hashes"):
            names = sorted(os.listdir(os.path.join(one, kind)))
            self.assertEqual(names, sorted(os.listdir(os.path.join(many, kind))))
            for name in names:
                with open(os.path.join(one, kind, name), "rb") as left:
                    with open(os.path.join(many, kind, name), "rb") as right:
                        self.assertEqual(left.read(), right.read(), f"{kind}/{name}")
        for words in (["export"], ["findings"], ["keys"]):
            said = [
                subprocess.run(
                    [PROGRAM, "state", *words, state], capture_output=True, check=True).stdout
                for state in (one, many)]
            self.assertEqual(*said)
        subprocess.run([PROGRAM, "state", "verify", many], capture_output=True, check=True)

    def assertNothing(self, folder):
        left = [name for name in os.listdir(folder) if "many" in name]
        self.assertEqual(left, [])


class Same(SparkTest):
    """What Spark finds is what one machine finds."""

    def test_forged_attacks_of_schemas(self):
        for seed, schema in enumerate(
            ["default", "capgo", "device-integrity", "header-assertion", "envoy"], 1):
            with self.subTest(schema):
                folder = forge(
                    schema, "--schema", schema, "--attacks", "all", "--seed", str(seed), "--keys",
                    str(4 + seed), "--assertions", "300", "--files", "4")
                self.assertSame(folder, self.audit(folder), one_machine(folder))

    def test_numbers_of_partitions(self):
        folder = forge(
            "partitions", "--attacks", "all", "--seed", "6", "--keys", "30", "--assertions", "900",
            "--challenge-records")
        status = one_machine(folder)
        for number in ("1", "7", "31"):
            with self.subTest(number):
                self.spark.conf.set("spark.sql.shuffle.partitions", number)
                try:
                    self.assertSame(folder, self.audit(folder), status)
                finally:
                    self.spark.conf.set("spark.sql.shuffle.partitions", "7")

    def test_a_hot_key_with_half_of_all_records(self):
        folder = forge(
            "hot", "--zipf", "--keys", "3", "--assertions", "20000", "--attacks",
            "counter.repeated,replay.assertion")
        self.assertSame(folder, self.audit(folder), one_machine(folder))
        with open(os.path.join(folder, "many/keys.csv"), encoding="utf-8", newline="") as file:
            counts = [int(row["assertions"]) for row in csv.DictReader(file)]
        self.assertGreaterEqual(2 * max(counts), sum(counts))

    def test_tables_hold_what_the_report_does_and_answer_queries(self):
        folder = forge(
            "tables", "--attacks", "all", "--seed", "9", "--keys", "9", "--assertions", "900")
        with open(os.path.join(folder, "pipeline.yaml"), "a", encoding="utf-8") as file:
            file.write("report: {verdicts: true}\n")
        tables = os.path.join(folder, "tables")
        status = one_machine(folder)
        self.assertSame(folder, self.audit(folder, tables=tables), status)
        with open(os.path.join(folder, "one/summary.json"), encoding="utf-8") as file:
            total = json.load(file)
        rows = {
            "findings": total["findings"]["total"], "keys": sum(total["keys"].values()),
            "verdicts": sum(total["verdicts"].values())}
        for name, number in rows.items():
            frame = self.spark.read.parquet(os.path.join(tables, name))
            self.assertEqual(frame.count(), number)
            frame.createOrReplaceTempView(name)
        first = self.spark.sql("SELECT min(time), max(line), count(counter) FROM findings").first()
        self.assertEqual(first[0].year, 2026)
        self.assertGreater(first[1], 1)
        self.assertGreater(first[2], 1)
        for path in sorted(glob.glob(os.path.join(HERE, "queries", "*.sql"))):
            with self.subTest(os.path.basename(path)):
                with open(path, encoding="utf-8") as file:
                    text = file.read()
                self.assertTrue(text.startswith("-- "))
                found = len(self.spark.sql(text).collect())
                # No honest user of the forged day has two keys.
                if "subjects-of-several-keys" not in path:
                    self.assertGreater(found, 0)

    def test_a_damaged_and_a_missing_input(self):
        folder = forge("damaged", "--attacks", "all", "--seed", "3", "--assertions", "300")
        inputs = [os.path.join(folder, "logs"), os.path.join(folder, "missing.jsonl")]
        self.assertSame(folder, self.audit(folder, inputs), one_machine(folder, inputs))
        with open(os.path.join(folder, "many/findings.csv"), encoding="utf-8") as file:
            found = file.read()
        for code in ("stream.corrupt", "stream.truncated", "stream.unreadable"):
            self.assertIn(code, found)
        self.assertIn("missing.jsonl", found)

    def test_an_input_that_became_a_fifo_is_not_waited_for(self):
        folder = forge("swapped", "--seed", "10", "--keys", "5", "--assertions", "200", "--files", "3")
        path = sorted(glob.glob(os.path.join(folder, "logs/*.jsonl")))[0]
        program = wrapper(
            "swapping",
            f'[ "$2" != map ] || [ -p {path} ] || {{ rm -f {path}; mkfifo {path}; }}\n'
            'exec PROGRAM "$@"')
        self.assertEqual(self.audit(folder, program=program).status, 2)
        with open(os.path.join(folder, "many/findings.csv"), encoding="utf-8", newline="") as file:
            found = [
                row["detail"] for row in csv.DictReader(file)
                if row["code"] == "stream.unreadable" and row["source"].endswith(
                    os.path.basename(path))]
        self.assertEqual(len(found), 1)
        self.assertIn("another file replaced it", found[0])

    @unittest.skipUnless(os.path.isdir(VECTORS), "the genuine vectors are not beside the repository")
    def test_genuine_vectors(self):
        folder = os.path.join(SCRATCH, "vectors")
        os.makedirs(os.path.join(folder, "logs"))
        vectors = {}
        for path in sorted(glob.glob(os.path.join(VECTORS, "*.json"))):
            with open(path, encoding="utf-8") as file:
                vectors[os.path.basename(path)[:-5]] = json.load(file)
        lines, keys, apps = [], [], set()
        for vector in vectors.values():
            if vector.get("appId"):
                apps.add(vector["appId"])
            attestation = vector.get("attestationVector")
            if vector["kind"] == "assertion" and not attestation:
                keys.append(json.dumps({
                    "keyId": vector["keyId"], "publicKey": vector["publicKeyX962Base64"],
                    "appId": vector["appId"]}))
            # An assertion comes a minute after its key's attestation.
            when = vector.get("verifiedAt") or vectors.get(attestation, {}).get("verifiedAt")
            line = {
                "kind": vector["kind"], "keyId": vector["keyId"], "token": vector["token"],
                "clientDataHash": vector.get("clientDataHashBase64") or "Bwc=",
                "time": when or "2024-02-03T00:00:00Z"}
            if vector["kind"] == "assertion":
                moment = datetime.datetime.fromisoformat(line["time"].replace("Z", "+00:00"))
                line["time"] = (moment + datetime.timedelta(minutes=1)).isoformat()
            if vector.get("appId"):
                line["appId"] = vector["appId"]
            lines.append(json.dumps(line))
        for number in range(3):
            with open(os.path.join(folder, f"logs/{number}.jsonl"), "w", encoding="utf-8") as file:
                file.writelines(line + "\n" for line in lines[number::3])
        with open(os.path.join(folder, "keys.jsonl"), "w", encoding="utf-8") as file:
            file.writelines(line + "\n" for line in keys)
        with open(os.path.join(folder, "pipeline.yaml"), "w", encoding="utf-8") as file:
            names = ", ".join(
                f'{{id: "{app}", environments: [production, development]}}' for app in sorted(apps))
            file.write(f"inputs: [logs]\nkeys: keys.jsonl\napps: [{names}]\n")
        self.assertSame(folder, self.audit(folder), one_machine(folder))
        with open(os.path.join(folder, "many/summary.json"), encoding="utf-8") as file:
            verdicts = json.load(file)["verdicts"]
        self.assertEqual(sum(verdicts.values()), len(lines))
        self.assertGreater(verdicts["valid"] + verdicts["flagged"], 8)

    def test_a_store_that_only_hadoop_reaches(self):
        folder = forge("stored", "--attacks", "all", "--seed", "5", "--assertions", "200")
        inputs = [os.path.join(folder, "logs")]
        status = one_machine(folder, inputs)
        store = "viewfs://store/data/stored"
        result = self.audit(folder, [store + "/logs"], out=store + "/many")
        self.assertEqual(result.status, status)
        read = {}
        for place, prefix in (("one", folder), ("many", store)):
            with open(os.path.join(folder, place, "findings.csv"), encoding="utf-8") as file:
                read[place] = file.read().replace(prefix, "")
        # Fingerprints of streams and order hold as well: names differ in their front alone.
        self.assertEqual(read["one"], read["many"])
        self.assertEqual(
            [name for name in os.listdir(folder) if "partial" in name], [])


class Counted(SparkTest):
    """Rows by clientDataHash stay where they are but for those of hashes that stand in several records."""

    # Challenges are compared with every hash.
    ATTACKS = "all,-challenge"

    def measuring(self, name):
        """Returns a program that keeps what children of the stage hashes are fed with."""
        place = os.path.join(SCRATCH, name)
        os.makedirs(place)
        return place, wrapper(
            f"{name}-program",
            f'[ "$2" = hashes ] || exec PROGRAM "$@"\n'
            f'set -o pipefail; tee {place}/$$ | PROGRAM "$@"')

    def rows(self, place):
        """Returns how many rows by clientDataHash the children had."""
        number = 0
        for name in os.listdir(place):
            with open(os.path.join(place, name), "rb") as file:
                number += sum(
                    row[0] == attest_audit.HASH for row in attest_audit.RowReader(file).rows())
        shutil.rmtree(place)
        return number

    def test_schemas_and_numbers_of_partitions(self):
        for seed, schema in enumerate(["default", "header-assertion", "capgo"], 51):
            folder = forge(
                f"counted-{schema}", "--schema", schema, "--attacks", self.ATTACKS, "--seed",
                str(seed), "--keys", "20", "--assertions", "900", "--files", "5")
            status = one_machine(folder)
            for number in ("1", "7", "64") if schema == "default" else ("7",):
                with self.subTest(f"{schema}, {number} parts"):
                    self.spark.conf.set("spark.sql.shuffle.partitions", number)
                    try:
                        self.assertSame(folder, self.audit(folder), status)
                    finally:
                        self.spark.conf.set("spark.sql.shuffle.partitions", "7")

    def test_few_rows_are_moved_and_all_where_too_many_are_repeated(self):
        folder = forge(
            "moved", "--attacks", self.ATTACKS, "--seed", "54", "--keys", "20", "--assertions", "3000")
        status = one_machine(folder)
        place, program = self.measuring("few")
        self.assertSame(folder, self.audit(folder, program=program), status)
        few = self.rows(place)
        self.assertGreater(few, 10)
        self.assertLess(few, 600)
        for most in ("MOST_REPEATED", "MOST_COUNTED"):
            with self.subTest(most):
                value = getattr(attest_audit, most)
                place, program = self.measuring(most)
                # On executors, too, which read the module again with each session of a driver.
                with unittest.mock.patch.object(attest_audit, most, 0):
                    with unittest.mock.patch.object(
                            attest_audit, "_count", limited(most, 0)):
                        self.assertSame(folder, self.audit(folder, program=program), status)
                self.assertEqual(getattr(attest_audit, most), value)
                self.assertGreater(self.rows(place), 3000)

    def test_small_parts_are_joined(self):
        folder = forge(
            "joined", "--attacks", self.ATTACKS, "--seed", "55", "--keys", "20", "--assertions", "900")
        started = os.path.join(SCRATCH, "joined-started")
        program = wrapper(
            "joined-program", f'[ "$2" != keys ] || echo >> {started}\nexec PROGRAM "$@"')
        status = one_machine(folder)
        self.spark.conf.set("spark.sql.adaptive.coalescePartitions.enabled", "true")
        try:
            self.assertSame(folder, self.audit(folder, program=program), status)
        finally:
            self.spark.conf.set("spark.sql.adaptive.coalescePartitions.enabled", "false")
        self.assertEqual(os.path.getsize(started), 1)

    def test_an_engine_that_is_not_adaptive(self):
        folder = forge(
            "plain-engine", "--attacks", self.ATTACKS, "--seed", "56", "--keys", "9", "--assertions",
            "300")
        status = one_machine(folder)
        self.spark.conf.set("spark.sql.adaptive.enabled", "false")
        try:
            self.assertSame(folder, self.audit(folder), status)
        finally:
            self.spark.conf.set("spark.sql.adaptive.enabled", "true")

    def test_numbers_have_the_digests_of_spark(self):
        from pyspark.sql import functions

        numbers = [*range(300), (1 << 32) - 1, 1 << 32, (1 << 40) + 12345]
        frame = self.spark.createDataFrame([(number,) for number in numbers], "id long")
        for row in frame.select("id", functions.hash("id").alias("digest")).collect():
            self.assertEqual(attest_audit._digest(row["id"]), row["digest"])

    def test_children_stay_within_their_memory(self):
        folder = forge(
            "memory", "--zipf", "--keys", "3", "--assertions", "60000", "--files", "2", "--attacks",
            "counter.repeated,replay.assertion")
        peaks = os.path.join(SCRATCH, "peaks")
        os.makedirs(peaks)
        program = wrapper(
            "peak-program",
            f'exec {sys.executable} -c "'
            "import os, resource, subprocess, sys; "
            "status = subprocess.run(sys.argv[1:]).returncode; "
            "peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss; "
            f"open('{peaks}/%s-%d' % (sys.argv[3], os.getpid()), 'w').write(str(peak)); "
            'sys.exit(status)" PROGRAM "$@"')
        self.assertSame(folder, self.audit(folder, program=program), one_machine(folder))
        stages = set()
        for name in os.listdir(peaks):
            with open(os.path.join(peaks, name), encoding="utf-8") as file:
                # The driver's own look at all inputs takes as many threads as there are cores.
                self.assertLess(int(file.read()), 64 << 10, name)
            stages.add(name.split("-")[0])
        self.assertEqual(stages, {"plan", "map", "devices", "keys", "hashes", "report"})


def limited(name, value):
    """Returns the counting of a task with another limit, for executors."""

    def count(batches):
        import attest_audit as module

        before = getattr(module, name)
        setattr(module, name, value)
        try:
            yield from module._count(batches)
        finally:
            setattr(module, name, before)

    return count


def make_states(one, many):
    """Makes two empty states of one secret key, so that their files can be compared."""
    keys = os.path.join(os.path.dirname(one), "none.csv")
    with open(keys, "w", encoding="utf-8") as file:
        file.write("keyId,publicKey,appId\n")
    subprocess.run([PROGRAM, "state", "import", one, keys], capture_output=True, check=True)
    os.remove(keys)
    shutil.copytree(one, many)


class Nights(SparkTest):
    """Nights with a state, each with that of the night before: as those of one machine."""

    def setUp(self):
        self.spark.conf.set("spark.sql.shuffle.partitions", "3")
        self.addCleanup(self.spark.conf.set, "spark.sql.shuffle.partitions", "7")

    def nights(self, name, *flags):
        """Forges a log, and divides its files among three nights, some of them late or damaged."""
        folder = forge(name, "--attacks", "all", "--files", "6", *flags)
        nights = [[], [], []]
        for file in sorted(os.listdir(os.path.join(folder, "logs"))):
            path = os.path.join(folder, "logs", file)
            os.utime(path, (1700000000, 1700000000))
            number = int(file[7:12]) if file[7:12].isdigit() else 5
            nights[(number // 2 + (number == 1)) % 3].append(path)
        # The first file of the first night comes damaged, and whole on the last; one comes twice.
        whole = os.path.join(folder, "whole")
        os.mkdir(whole)
        shutil.copy2(nights[0][0], whole)
        with open(nights[0][0], "r+b") as file:
            file.truncate(os.path.getsize(nights[0][0]) // 2)
        os.utime(nights[0][0], (1700000000, 1700000000))
        nights[2] += [os.path.join(whole, os.path.basename(nights[0][0])), nights[1][0]]
        return folder, nights

    def assertNights(self, folder, nights):
        one, before = (os.path.join(folder, name) for name in ("state", "empty"))
        make_states(one, before)
        for number, inputs in enumerate(nights):
            with self.subTest(number):
                after = os.path.join(folder, f"state-{number}")
                status = one_machine(folder, inputs, more=["--state", one])
                result = self.audit(folder, inputs, state_in=before, state_out=after)
                self.assertSame(folder, result, status)
                self.assertSameState(one, after)
                before = after
        self.assertEqual([name for name in os.listdir(folder) if name.startswith(".")], [])

    def test_of_keys(self):
        folder, nights = self.nights(
            "nights", "--seed", "21", "--keys", "12", "--assertions", "600")
        self.assertNights(folder, nights[:2])

    def test_of_devices(self):
        folder, nights = self.nights(
            "device-nights", "--schema", "header-assertion", "--seed", "22", "--keys", "9",
            "--assertions", "400")
        self.assertNights(folder, nights)

    def test_a_state_that_one_machine_made(self):
        folder, nights = self.nights(
            "handed-over", "--seed", "23", "--keys", "6", "--assertions", "200")
        state, after = (os.path.join(folder, name) for name in ("state", "after"))
        one_machine(folder, nights[0], more=["--state", state])
        made = self.content(state)
        result = self.audit(folder, nights[1], state_in=state, state_out=after)
        self.assertEqual(self.content(state), made)
        status = one_machine(folder, nights[1], more=["--state", state])
        self.assertSame(folder, result, status)
        # And one that Spark made goes back.
        status = one_machine(folder, nights[2], more=["--state", state])
        shutil.rmtree(os.path.join(folder, "many"))
        os.rename(os.path.join(folder, "one"), os.path.join(folder, "many"))
        self.assertEqual(one_machine(folder, nights[2], more=["--state", after]), status)
        for name in ("findings.csv", "keys.csv", "withdrawn.csv"):
            with open(os.path.join(folder, "one", name), "rb") as left:
                with open(os.path.join(folder, "many", name), "rb") as right:
                    self.assertEqual(left.read(), right.read())

    def content(self, folder):
        """Returns what lies in a state, but for what a reader leaves beside its database."""
        found = {}
        for place, _, names in os.walk(folder):
            for name in names:
                if not name.endswith(("-shm", "lock")):
                    with open(os.path.join(place, name), "rb") as file:
                        found[os.path.join(place, name)] = file.read()
        return found

    def test_a_run_that_fails_leaves_no_state(self):
        folder, nights = self.nights(
            "state-failed", "--seed", "24", "--keys", "4", "--assertions", "100")
        first, second = (os.path.join(folder, name) for name in ("first", "second"))
        self.audit(folder, nights[0], state_out=first)
        made = self.content(first)
        shutil.rmtree(os.path.join(folder, "many"))
        left = sorted(os.listdir(folder))
        for stage in ("recall", "report"):
            # The last stage of all fails when its copy of the state is advanced already.
            program = wrapper(
                f"state-failing-{stage}",
                f'[ "$2" = {stage} ] || exec PROGRAM "$@"\n'
                'PROGRAM "$@"; echo "power is gone" >&2; exit 70')
            with self.assertRaises(attest_audit.AuditFailed) as caught:
                self.audit(folder, nights[1], program, state_in=first, state_out=second)
            self.assertIn("power is gone", str(caught.exception))
            self.assertEqual(sorted(os.listdir(folder)), left)
        self.assertEqual(self.content(first), made)

    def test_what_is_no_state(self):
        folder, nights = self.nights(
            "no-state", "--seed", "25", "--keys", "4", "--assertions", "60")
        first, out = (os.path.join(folder, name) for name in ("first", "out"))
        self.audit(folder, nights[0], state_out=first)
        shutil.rmtree(os.path.join(folder, "many"))
        damaged = os.path.join(folder, "damaged")
        shutil.copytree(first, damaged)
        with open(os.path.join(damaged, "state.sqlite"), "r+b") as file:
            file.seek(100)
            file.write(bytes(4096))
        segment = os.path.join(folder, "segment")
        shutil.copytree(first, segment)
        for name in glob.glob(os.path.join(segment, "hashes", "*.seg")):
            with open(name, "r+b") as file:
                file.seek(100)
                file.write(b"x")
        left = sorted(os.listdir(folder))
        for status, words, more in (
            (64, "--state-in needs --state-out", {"state_in": first}),
            (64, "no URIs", {"state_in": "s3a://there/state", "state_out": out}),
            (73, "exists already", {"state_in": first, "state_out": first}),
            (70, "there is no state at", {"state_in": folder, "state_out": out}),
            (70, "the state is damaged: state.sqlite", {"state_in": damaged, "state_out": out}),
            (70, "hashes/1.seg", {"state_in": segment, "state_out": out}),
        ):
            with self.subTest(words):
                with self.assertRaises(attest_audit.AuditFailed) as caught:
                    self.audit(folder, nights[1], **more)
                self.assertIn(words, str(caught.exception))
                self.assertEqual(caught.exception.status, status)
                self.assertEqual(sorted(os.listdir(folder)), left)


class Killed(SparkTest):
    """Runs with a state of which somebody kills a part: report and state are as if nobody had."""

    attacks = "all"
    remembers = True

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.folder = forge(
            cls.__name__, "--attacks", cls.attacks, "--seed", "7", "--assertions", "3000")
        for name in os.listdir(os.path.join(cls.folder, "logs")):
            os.utime(os.path.join(cls.folder, "logs", name), (1700000000, 1700000000))
        cls.one, cls.empty = (os.path.join(cls.folder, name) for name in ("state", "empty"))
        if cls.remembers:
            make_states(cls.one, cls.empty)
        cls.status = one_machine(
            cls.folder, more=["--state", cls.one] if cls.remembers else [])

    def check(self, program, counts=None):
        state = os.path.join(self.folder, "after")
        more = {"state_in": self.empty, "state_out": state} if self.remembers else {}
        result = self.audit(self.folder, program=program, **more)
        if counts is not None:
            # What Spark counts of tasks that ran twice is counted twice: the report is not.
            self.assertEqual(result.status, self.status)
            result = attest_audit.Result(self.status, "", *counts)
        self.assertSame(self.folder, result, self.status)
        if self.remembers:
            self.assertSameState(self.one, state)
            shutil.rmtree(state)

    def test_children_killed_in_the_middle(self):
        """As many children are killed, at random moments, as ATTEST_AUDIT_KILLS says. Of each stage at most
        three in a run: so often may a task fail."""
        wanted, killed = int(os.environ.get("ATTEST_AUDIT_KILLS", "5")), []
        for number in range(10 * wanted):
            seen = os.path.join(SCRATCH, f"kills-{type(self).__name__}-{number}")
            program = wrapper(f"killing-{type(self).__name__}-{number}", f'''
                PROGRAM "$@" <&0 & child=$!
                if [ "$2" != plan ] && [ $((RANDOM % 2)) = 0 ] &&
                  mkdir {seen}-$2-$((RANDOM % 3)) 2>/dev/null
                then
                  sleep 0.$((RANDOM % 3))$((RANDOM % 10))
                  kill -9 $child 2>/dev/null && echo "$2" >> {seen}
                fi
                wait $child
                ''')
            self.check(program, self.totals())
            if os.path.exists(seen):
                with open(seen, encoding="utf-8") as file:
                    killed += file.read().split()
            if len(killed) >= wanted:
                break
        print(len(killed), "children were killed:", {name: killed.count(name) for name in killed})
        self.assertGreaterEqual(len(killed), wanted)

    def test_an_executor_killed_in_the_middle(self):
        slow = wrapper("slow", '[ "$2" = plan ] || sleep 1; exec PROGRAM "$@"')
        killed = []

        def kill():
            time.sleep(4)
            for path in glob.glob("/proc/[0-9]*/cmdline"):
                try:
                    with open(path, "rb") as file:
                        words = file.read().split(b"\0")
                    identifier = int(path.split("/")[2])
                    if b"org.apache.spark.executor.CoarseGrainedExecutorBackend" in words and (
                            self.spark.sparkContext.applicationId.encode() in words):
                        os.kill(identifier, signal.SIGKILL)
                        killed.append(identifier)
                        return
                except OSError:
                    continue

        thread = threading.Thread(target=kill)
        thread.start()
        self.check(slow, self.totals())
        thread.join()
        self.assertEqual(len(killed), 1)

    def totals(self):
        with open(os.path.join(self.folder, "one/summary.json"), encoding="utf-8") as file:
            total = json.load(file)
        return (
            total["records"]["lines"], total["findings"]["total"],
            total["records"]["unreadable"], 0)


class KilledAlone(Killed):
    """Runs without a state, whose first shuffle is read twice."""

    attacks = "all,-challenge"
    remembers = False


class Failed(SparkTest):
    attacks = "all"
    stages = ("map", "keys", "hashes", "report")

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.folder = forge(
            cls.__name__, "--attacks", cls.attacks, "--seed", "8", "--assertions", "100")

    def fail(self, program=PROGRAM, **more):
        with self.assertRaises(attest_audit.AuditFailed) as caught:
            self.audit(self.folder, program=program, **more)
        self.assertNothing(self.folder)
        return caught.exception

    def test_last_words_of_a_child(self):
        for stage in self.stages:
            with self.subTest(stage):
                program = wrapper(
                    f"failing-{stage}-{type(self).__name__}",
                    f'[ "$2" = {stage} ] || exec PROGRAM "$@"\n'
                    'head -c 1000 >/dev/null; echo "the disk of $2 is full" >&2; exit 73')
                words = str(self.fail(program))
                self.assertIn(f"attest-audit stage {stage} ended with 73", words)
                self.assertIn(f"the disk of {stage} is full", words)
                self.assertIn("attest_audit.py", words)

    def test_a_child_that_claims_to_be_well(self):
        program = wrapper(
            "cutting", '[ "$2" = keys ] || exec PROGRAM "$@"\nPROGRAM "$@" | head -c 5000; exit 0')
        self.assertIn("a child's stream ends early", str(self.fail(program)))

    def test_bad_settings_fail_on_the_driver(self):
        with open(os.path.join(self.folder, "bad.yaml"), "w", encoding="utf-8") as file:
            file.write("apps: [{id: ABCDE12345.com.example.bank}]\ndetekt: {}\n")
        error = self.fail(pipeline="bad.yaml")
        self.assertEqual(error.status, 65)
        self.assertIn("detekt", str(error))
        self.assertEqual(self.fail(pipeline="none.yaml").status, 65)
        self.assertEqual(self.fail(program="/nowhere/attest-audit").status, 70)

    def test_an_output_that_is_there(self):
        os.makedirs(os.path.join(self.folder, "there"), exist_ok=True)
        error = self.fail(out=os.path.join(self.folder, "there"))
        self.assertEqual(error.status, 73)
        self.assertEqual(os.listdir(os.path.join(self.folder, "there")), [])


class FailedCounting(Failed):
    """The stage whose rows are read twice where hashes are counted."""

    attacks = "all,-challenge"
    stages = ("keys",)
    test_bad_settings_fail_on_the_driver = None
    test_an_output_that_is_there = None


class Streams(unittest.TestCase):
    """The streams of rows, without Spark."""

    def test_a_column_is_written_as_rows_are(self):
        import io

        import pyarrow

        rows = [random.Random(n).randbytes(n % 300 + 1) for n in range(5000)]
        rows[77] = bytes(5 << 20)
        column = pyarrow.array([b"in front", *rows, b"behind"], pyarrow.binary())[1:-1]
        for write in (lambda w: w.column(column), lambda w: w.rows_of(rows)):
            file = io.BytesIO()
            file.close = lambda: None
            writer = attest_audit.RowWriter(file, b"AUDITROW" + bytes(40))
            write(writer)
            writer.finish()
            reader = attest_audit.RowReader(io.BytesIO(file.getvalue()))
            self.assertEqual(list(reader.rows()), rows)
            for end in (0, 60, len(file.getvalue()) - 1):
                with self.assertRaises(attest_audit.AuditFailed):
                    list(attest_audit.RowReader(io.BytesIO(file.getvalue()[:end])).rows())


class Settings(unittest.TestCase):
    """What is sent of a pipeline file."""

    def test_files_are_sent_and_values_stay_as_they_are_written(self):
        folder = tempfile.mkdtemp(dir=SCRATCH)
        os.makedirs(os.path.join(folder, "a/b"))
        for name in ("a/keys-2026-11-21.csv", "a/b/root.pem", "form.yaml"):
            with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                file.write(name)
        path = os.path.join(folder, "p.yaml")
        with open(path, "w", encoding="utf-8") as file:
            file.write(
                "version: 1\ninputs: [logs]\nschema: form.yaml\nkeys: a/keys-${date}.csv\n"
                "trust: {anchors: ['${PLACE}/b/root.pem']}\nlimits: {memory: 1GiB, lineBytes: 1MiB}\n"
                "report: {mode: 0640, out: there, verdicts: yes}\n"
                "accept: [{code: counter.gap, severity: low, reason: 'a', expires: 2027-01-31}]\n")
        os.environ["PLACE"] = "a"
        settings = attest_audit.read_settings("x", path, "2026-11-21")
        self.assertEqual(
            [name for name, _ in settings.files],
            ["pipeline.yaml", "0/form.yaml", "1/keys-2026-11-21.csv", "2/root.pem"])
        text = settings.files[0][1].decode()
        for words in ("mode: 0640", "verdicts: yes", "expires: 2027-01-31", "lineBytes: 1MiB"):
            self.assertIn(words, text)
        for words in ("inputs", "memory", "there", "${"):
            self.assertNotIn(words, text)
        os.remove(os.path.join(folder, "form.yaml"))
        with self.assertRaises(attest_audit.AuditFailed) as caught:
            attest_audit.read_settings("x", path, "2026-11-21")
        self.assertEqual(caught.exception.status, 65)


class Recipe(unittest.TestCase):
    """The recipes of the containers."""

    def test_they_are_linted(self):
        linter = os.path.join(os.path.dirname(sys.executable), "hadolint")
        if not os.path.exists(linter):
            self.skipTest("pipelines/setup --spark installs hadolint")
        done = subprocess.run(
            [linter, os.path.join(HERE, "Dockerfile"), os.path.join(HERE, "../container/Dockerfile")],
            capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stdout), (0, ""), done.stderr)


class Sizing(unittest.TestCase):
    def test_the_page_says_what_is_calculated(self):
        done = subprocess.run(
            [sys.executable, os.path.join(HERE, "sizing.py")], capture_output=True, text=True,
            check=True)
        catalog = os.path.join(ROOT, "Sources/attest-audit/Documentation.docc")
        with open(os.path.join(catalog, "BeyondOneMachine.md"), encoding="utf-8") as file:
            page = file.read()
        for line in done.stdout.splitlines():
            if line.startswith("|"):
                self.assertIn(line, page)
        for name in os.listdir(os.path.join(HERE, "queries")):
            self.assertIn(f"`{name}`", page)


if __name__ == "__main__":
    try:
        unittest.main(verbosity=2)
    finally:
        shutil.rmtree(SCRATCH, ignore_errors=True)
