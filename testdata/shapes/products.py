"""Lines as gateways, clouds and log shippers by name write them.

Each takes a request, a dictionary with its time in milliseconds, and gives the line. Members that no
audit looks at stand there as in the product, as far as they may be mistaken for something else.
"""

import base64
import datetime
import json
import urllib.parse

HOST = "api.example.com"


def compact(value):
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def at(request, form, digits=3, later=0, hours=0):
    """The time of a request by a form of `strftime`, `{f}` being its fraction."""
    ms = request["ms"] + later
    whole, rest = divmod(ms, 1000)
    zone = datetime.timezone(datetime.timedelta(hours=hours))
    text = datetime.datetime.fromtimestamp(whole, zone).strftime(form)
    return text.replace("{f}", ("%03d" % rest + "000000")[:digits])


def zulu(request, digits=3, later=0):
    return at(request, "%Y-%m-%dT%H:%M:%S.{f}Z", digits, later)


def app_line(request):
    """What a server's own logger writes, which shippers carry."""
    return compact({
        "ts": zulu(request, 6), "method": request["method"], "path": request["path"],
        "headers": dict(request["headers"]), "body": request["body"], "status": request["status"],
        "request_id": request["request_id"]})


def lower(request):
    return {name.lower(): value for name, value in request["headers"]}


def lists(request):
    return {name: [value] for name, value in request["headers"]}


def fluent_bit(r):
    return compact({"date": (r["ms"] + 40) / 1000, "log": app_line(r), "stream": "stdout",
                    "kubernetes": {"pod_name": "gw-7d9f", "namespace_name": "prod",
                                   "docker_id": "f00d" * 16, "labels": {"app": "gw"}}})


def fluentd_file(r):
    return "%s\tapp.access\t%s" % (at(r, "%Y-%m-%dT%H:%M:%S+00:00"), app_line(r))


def vector(r):
    return compact({"file": "/var/log/gw/access.log", "host": "gw-1", "message": app_line(r),
                    "source_type": "file", "timestamp": zulu(r, 9, 250)})


def logstash(r):
    return compact({"@timestamp": zulu(r), "@version": "1", "host": {"name": "gw-1"},
                    "tags": ["_grokparsefailure"], "type": "access", "message": app_line(r)})


def datadog_archive(r):
    return compact({
        "_id": "AQ" + r["request_id"], "date": zulu(r), "service": "gw", "source": "nginx",
        "status": "info", "message": r["method"] + " " + r["path"],
        "attributes": {"http": {"method": r["method"], "url": r["path"],
                                "status_code": r["status"], "request": {
                                    "headers": lower(r), "body": r["body"]}},
                       "duration": 1200345, "trace_id": r["request_id"]}})


def traefik(r):
    line = {"ClientAddr": "192.0.2.7:5312", "DownstreamStatus": r["status"], "Duration": 1200345,
            "OriginStatus": r["status"], "RequestCount": r["ms"] % 100000,
            "RequestMethod": r["method"], "RequestPath": r["path"], "RouterName": "api@file",
            "StartLocal": at(r, "%Y-%m-%dT%H:%M:%S.{f}+01:00", 9, 0, 1),
            "StartUTC": zulu(r, 9), "entryPointName": "https", "level": "info", "msg": "",
            "time": at(r, "%Y-%m-%dT%H:%M:%SZ"), "request_Body": r["body"],
            "request_X-Request-Id": r["request_id"]}
    for name, value in r["headers"]:
        line["request_" + "-".join(w.capitalize() for w in name.split("-"))] = value
    return compact(line)


def caddy(r):
    return compact({
        "level": "info", "ts": r["ms"] / 1000, "logger": "http.log.access", "msg": "handled request",
        "request": {"remote_ip": "192.0.2.7", "remote_port": "5312", "proto": "HTTP/2.0",
                    "method": r["method"], "host": HOST, "uri": r["path"], "headers": lists(r)},
        "body": r["body"], "bytes_read": len(r["body"]), "user_id": "", "duration": 0.0012,
        "size": 12, "status": r["status"],
        "resp_headers": {"Server": ["Caddy"], "X-Request-Id": [r["request_id"]]}})


def kong(r):
    return compact({
        "request": {"method": r["method"], "uri": r["path"], "url": "https://" + HOST + r["path"],
                    "size": str(len(r["body"])), "querystring": {}, "id": r["request_id"],
                    "headers": lower(r), "body": r["body"]},
        "response": {"status": r["status"], "size": 232, "headers": {"via": "kong/3.4"}},
        "latencies": {"request": 12, "kong": 3, "proxy": 9}, "tries": [],
        "started_at": r["ms"], "client_ip": "192.0.2.7", "workspace": "w-1"})


def apigee(r):
    line = {"organization": "example", "environment": "prod", "apiproxy": "api-v1",
            "client.received.start.timestamp": str(r["ms"]),
            "target.sent.start.timestamp": str(r["ms"] + 3),
            "request.verb": r["method"], "request.path": r["path"], "request.content": r["body"],
            "response.status.code": str(r["status"]), "messageid": r["request_id"]}
    for name, value in r["headers"]:
        line["request.header." + name.lower()] = value
    return compact(line)


def azure_apim(r):
    return compact({
        "time": zulu(r, 7), "resourceId": "/SUBSCRIPTIONS/1/RESOURCEGROUPS/G/SERVICE/S",
        "operationName": "Microsoft.ApiManagement/GatewayLogs", "category": "GatewayLogs",
        "resultType": "Succeeded", "location": "West Europe", "callerIpAddress": "192.0.2.7",
        "correlationId": r["request_id"], "isRequestSuccess": r["status"] < 400,
        "properties": {"method": r["method"], "url": "https://" + HOST + r["path"],
                       "responseCode": r["status"], "apiId": "a", "requestBody": r["body"],
                       "requestHeaders": dict(r["headers"])}})


def azure_front_door(r):
    return compact({
        "time": at(r, "%m/%d/%Y %H:%M:%S.{f} +00:00"), "category": "FrontDoorAccessLog",
        "properties": compact({
            "trackingReference": r["request_id"], "httpMethod": r["method"],
            "requestUri": "https://" + HOST + ":443" + r["path"], "httpStatusCode": str(r["status"]),
            "requestHeaders": [{"name": n, "value": v} for n, v in r["headers"]],
            "requestBody": r["body"]})})


def cloudflare(r):
    return compact({
        "ClientIP": "192.0.2.7", "ClientRequestHost": HOST, "ClientRequestMethod": r["method"],
        "ClientRequestURI": r["path"], "ClientRequestBody": r["body"],
        "EdgeEndTimestamp": r["ms"] * 1000000 + 90_000_000,
        "EdgeStartTimestamp": r["ms"] * 1000000, "EdgeResponseStatus": r["status"],
        "OriginResponseStatus": 0, "CacheCacheStatus": "unknown", "RayID": r["request_id"],
        "RequestHeaders": lower(r)})


def heroku(r):
    line = "<190>1 %s host app web.1 - %s" % (at(r, "%Y-%m-%dT%H:%M:%S.{f}+00:00", 6), app_line(r))
    return "%d %s" % (len(line.encode()) + 1, line)


def cloudfront(r):
    return compact({
        "timestamp": "%d.%03d" % divmod(r["ms"], 1000), "cs-method": r["method"],
        "cs-uri-stem": r["path"], "sc-status": str(r["status"]), "cs-host": HOST,
        "x-edge-request-id": r["request_id"], "x-edge-result-type": "Error",
        "cs-headers": "".join("%s:%s%%0A" % (n, urllib.parse.quote(v)) for n, v in r["headers"]),
        "cs-body": urllib.parse.quote(r["body"])})


def loki(r):
    return compact({"labels": {"app": "gw", "detected_level": "info"}, "line": app_line(r),
                    "timestamp": at(r, "%Y-%m-%dT%H:%M:%S.{f}+01:00", 9, 0, 1)})


def splunk(r):
    return compact({"preview": False, "offset": r["ms"] % 1000, "result": {
        "_raw": app_line(r), "_time": at(r, "%Y-%m-%d %H:%M:%S.{f} UTC"), "source": "http:gw",
        "linecount": "1", "_serial": "17"}})


def elasticdump(r):
    return compact({"_index": "gw-2026.03.01", "_id": "A" + r["request_id"], "_score": 1,
                    "_source": {"@timestamp": zulu(r), "http": {
                        "method": r["method"], "status_code": r["status"], "headers": lower(r),
                        "body": r["body"]}, "url.path": r["path"]}})


def elastic_bulk(r):
    return '{"index":{"_index":"gw-2026.03.01"}}\n' + app_line(r)


def journald(r):
    return compact({"__CURSOR": "s=1;i=%x" % r["ms"], "__MONOTONIC_TIMESTAMP": str(r["ms"] % 10**9),
                    "__REALTIME_TIMESTAMP": str(r["ms"] * 1000 + 512), "PRIORITY": "6",
                    "SYSLOG_IDENTIFIER": "gw", "_PID": "812", "MESSAGE": app_line(r)})


def gelf(r):
    line = {"version": "1.1", "host": "gw-1", "short_message": "request", "level": 6,
            "timestamp": r["ms"] / 1000, "_method": r["method"], "_uri": r["path"],
            "_status": r["status"], "_request_id": r["request_id"], "_request_body": r["body"]}
    for name, value in r["headers"]:
        line["_http_" + name.lower().replace("-", "_")] = value
    return compact(line)


def dynamodb(r):
    return compact({"Item": {
        "pk": {"S": r["request_id"]}, "time": {"N": str(r["ms"])}, "method": {"S": r["method"]},
        "path": {"S": r["path"]}, "status": {"N": str(r["status"])}, "body": {"S": r["body"]},
        "headers": {"M": {n.lower(): {"S": v} for n, v in r["headers"]}}}})


def mongodb(r):
    return compact({"_id": {"$oid": "65e1" + "0" * 20}, "time": {"$date": zulu(r)},
                    "method": r["method"], "path": r["path"], "headers": lower(r),
                    "body": r["body"], "status": {"$numberInt": str(r["status"])},
                    "requestId": r["request_id"]})


def pino(r):
    return compact({"level": 30, "time": r["ms"], "pid": 17, "hostname": "gw-1",
                    "req": {"id": r["request_id"], "method": r["method"], "url": r["path"],
                            "headers": lower(r), "remotePort": 5312, "rawBody": r["body"]},
                    "res": {"statusCode": r["status"], "headers": {"date": "now"}},
                    "responseTime": 12, "msg": "request completed"})


def serilog(r):
    return compact({"@t": zulu(r, 7), "@m": "HTTP request", "@i": "deadbeef",
                    "Method": r["method"], "Path": r["path"], "StatusCode": r["status"],
                    "RequestId": r["request_id"], "Elapsed": 1.25,
                    "RequestBody": base64.b64encode(r["body"].encode()).decode(),
                    "RequestHeaders": [{"Key": n, "Value": [v]} for n, v in r["headers"]]})


def log4j(r):
    whole, rest = divmod(r["ms"], 1000)
    return compact({"instant": {"epochSecond": whole, "nanoOfSecond": rest * 1000000},
                    "thread": "main", "level": "INFO", "loggerName": "Gateway",
                    "message": app_line(r), "endOfBatch": False, "threadId": 1})


def akamai(r):
    return compact({"version": 1, "reqTimeSec": "%d.%03d" % divmod(r["ms"], 1000), "cp": "123",
                    "reqMethod": r["method"], "reqPath": urllib.parse.quote(r["path"].lstrip("/"), safe=""),
                    "reqHost": HOST, "statusCode": str(r["status"]), "reqId": r["request_id"],
                    "reqHdrs": urllib.parse.quote("\r\n".join("%s: %s" % tuple(h) for h in r["headers"])),
                    "reqBody": urllib.parse.quote(r["body"])})


def haproxy(r):
    return "Mar  1 00:00:00 lb haproxy[17]: " + compact({
        "accept_date": at(r, "%d/%b/%Y:%H:%M:%S.{f}"), "method": r["method"], "uri": r["path"],
        "status": r["status"], "unique_id": r["request_id"], "body": r["body"],
        "hdrs": "\r\n".join("%s: %s" % tuple(h) for h in r["headers"]) + "\r\n\r\n"})


def postgres(r):
    return compact({"id": r["ms"] % 99991, "created_at": at(r, "%Y-%m-%d %H:%M:%S.{f}+00", 6),
                    "updated_at": at(r, "%Y-%m-%d %H:%M:%S.{f}+00", 6, 999),
                    "method": r["method"], "path": r["path"], "headers": compact(lower(r)),
                    "body": r["body"], "status": r["status"], "request_id": r["request_id"]})


PRODUCTS = {
    "fluent-bit": fluent_bit, "fluentd-file": fluentd_file, "vector": vector,
    "logstash": logstash, "datadog-archive": datadog_archive, "traefik": traefik, "caddy": caddy,
    "kong": kong, "apigee": apigee, "azure-apim": azure_apim,
    "azure-front-door": azure_front_door, "cloudflare": cloudflare, "heroku": heroku,
    "cloudfront": cloudfront, "loki": loki, "splunk": splunk, "elasticdump": elasticdump,
    "elastic-bulk": elastic_bulk, "journald": journald, "gelf": gelf, "dynamodb": dynamodb,
    "mongodb": mongodb, "pino": pino, "serilog": serilog, "log4j": log4j, "akamai": akamai,
    "haproxy": haproxy, "postgres": postgres,
}
