"""A queue of jobs behind a small HTTP interface."""

import argparse
import json
import logging
import queue
import threading
import time
import uuid
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

logger = logging.getLogger(__name__)


class Job:
    def __init__(self, name, payload):
        self.id = uuid.uuid4().hex
        self.name = name
        self.payload = payload
        self.state = "queued"
        self.result = None
        self.error = None
        self.created_at = time.time()
        self.finished_at = None

    def to_dict(self):
        return {
            "id": self.id,
            "name": self.name,
            "state": self.state,
            "result": self.result,
            "error": self.error,
        }


class Worker(threading.Thread):
    def __init__(self, jobs, handlers):
        super().__init__(daemon=True)
        self.jobs = jobs
        self.handlers = handlers
        self._stop_event = threading.Event()

    def stop(self):
        self._stop_event.set()

    def run(self):
        while not self._stop_event.is_set():
            try:
                job = self.jobs.get(timeout=0.5)
            except queue.Empty:
                continue
            self.process(job)
            self.jobs.task_done()

    def process(self, job):
        job.state = "running"
        logger.info("running %s (%s)", job.name, job.id)
        try:
            handler = self.handlers[job.name]
            job.result = handler(**job.payload)
            job.state = "done"
        except Exception as error:
            logger.exception("job %s failed", job.id)
            job.error = str(error)
            job.state = "failed"
        finally:
            job.finished_at = time.time()


class RequestHandler(BaseHTTPRequestHandler):
    def do_GET(self):
        job_id = self.path.strip("/")
        job = self.server.all_jobs.get(job_id)
        if job is None:
            self.send_json(404, {"error": "no such job"})
        else:
            self.send_json(200, job.to_dict())

    def do_POST(self):
        length = int(self.headers.get("Content-Length", 0))
        body = json.loads(self.rfile.read(length))
        job = Job(body["name"], body.get("payload", {}))
        self.server.all_jobs[job.id] = job
        self.server.jobs.put(job)
        self.send_json(202, job.to_dict())

    def send_json(self, status, value):
        data = json.dumps(value).encode("utf-8")
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=8080)
    parser.add_argument("--workers", type=int, default=2)
    args = parser.parse_args()

    logging.basicConfig(level=logging.INFO)
    server = ThreadingHTTPServer((args.host, args.port), RequestHandler)
    server.jobs = queue.Queue()
    server.all_jobs = {}
    workers = [Worker(server.jobs, {"echo": lambda text: text}) for _ in range(args.workers)]
    for worker in workers:
        worker.start()
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        logger.info("stopping")
    finally:
        for worker in workers:
            worker.stop()
        server.server_close()


if __name__ == "__main__":
    main()
