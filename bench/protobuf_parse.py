"""Parses a recording with Google's protobuf for Python: what bench/protobuf.c compares with.

    protobuf_parse.py PROTO_DIR RECORDING

For each line on standard input it parses all frames once and prints their number and the seconds of
CPU that it took. First it prints which implementation is at work.
"""
import pathlib
import subprocess
import sys
import tempfile
import time


def main():
    proto_dir, recording = sys.argv[1:]
    with tempfile.TemporaryDirectory() as made:
        subprocess.run(["protoc", f"-I{proto_dir}", f"--python_out={made}", "tracing.proto"],
                       check=True)
        sys.path.insert(0, made)
        import google.protobuf
        from google.protobuf.internal import api_implementation
        import tracing_pb2
    print(google.protobuf.__version__, api_implementation.Type(), flush=True)

    data = pathlib.Path(recording).read_bytes()
    for _ in sys.stdin:
        begin = time.process_time()
        at = frames = 0
        frame = tracing_pb2.TraceFrame()
        while at < len(data):
            size = data[at]  # a frame is shorter than 128 bytes here
            frame.ParseFromString(data[at + 1:at + 1 + size])
            at += 1 + size
            frames += 1
        print(frames, time.process_time() - begin, flush=True)


main()
