"""Drives the browser named by the argument: answers each line of JSON with a line. TestSupport/Browser.swift asks."""

import json, os, subprocess, sys, tempfile, time
to, at = os.pipe()
back, out = os.pipe()
profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
def descriptors():
    os.dup2(to, 13), os.dup2(out, 14)
    os.dup2(13, 3), os.dup2(14, 4)
program = subprocess.Popen(
    [sys.argv[1], "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
     "--remote-debugging-pipe", "--user-data-dir=" + profile.name, "about:blank"],
    preexec_fn=descriptors, close_fds=False, stdin=subprocess.DEVNULL,
    stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
os.close(to), os.close(out)
number, rest, events = 0, b"", []
def message():
    global rest
    while b"\0" not in rest:
        piece = os.read(back, 1 << 16)
        if not piece: raise SystemExit("the browser ended")
        rest += piece
    text, rest = rest.split(b"\0", 1)
    return json.loads(text)
def ask(method, session=None, **parameters):
    global number
    number += 1
    call = {"id": number, "method": method, "params": parameters}
    if session: call["sessionId"] = session
    os.write(at, json.dumps(call).encode() + b"\0")
    while True:
        answer = message()
        if answer.get("id") == number:
            if "error" in answer: raise SystemExit(method + ": " + str(answer["error"]))
            return answer["result"]
        events.append(answer)
def look(order):
    target = ask("Target.createTarget", url="about:blank")["targetId"]
    session = ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
    for domain in ["Page", "Runtime", "Log", "Network"]: ask(domain + ".enable", session)
    ask("Emulation.setDeviceMetricsOverride", session, width=order["width"],
        height=900, deviceScaleFactor=1, mobile=order["width"] < 600)
    ask("Emulation.setEmulatedMedia", session, media=order["media"],
        features=[{"name": "prefers-color-scheme", "value": order["scheme"]}])
    def value(expression):
        found = ask("Runtime.evaluate", session, expression=expression, awaitPromise=True,
                    returnByValue=True)
        if "exceptionDetails" in found: raise SystemExit(expression + ": " + json.dumps(found))
        found = found["result"].get("value")
        return found if isinstance(found, str) else json.dumps(found, ensure_ascii=False)
    start = time.monotonic()
    ask("Page.navigate", session, url=order["page"])
    while value("document.documentElement && document.documentElement.dataset.ready") != "true":
        if time.monotonic() - start > 60: raise SystemExit("the page is never ready")
        time.sleep(0.01)
    values = [value(expression) for expression in order["expressions"]]
    value("new Promise((done) => setTimeout(done, 100))")
    ask("Target.closeTarget", targetId=target)
    console, requests = [], []
    for event in events:
        if event.get("sessionId") != session: continue
        method, what = event.get("method"), event.get("params", {})
        if method in ("Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded"):
            console.append(json.dumps(what, ensure_ascii=False))
        if method == "Network.requestWillBeSent":
            requests.append(what["request"]["url"])
    events.clear()
    page = order["page"].split("#")[0]
    return {"console": console, "values": values,
            "requests": [url for url in requests if url.split("#")[0] != page]}
for line in sys.stdin:
    try: answer = look(json.loads(line))
    except SystemExit as mistake: answer = {"mistake": str(mistake)}
    print(json.dumps(answer), flush=True)
program.kill()
program.wait()
