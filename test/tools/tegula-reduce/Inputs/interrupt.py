"""Interrupts a reduction whose looks take a while; prints its exit code and what it says."""

import signal
import subprocess
import sys
import time

LOOK = "sleep 0.2; grep -q arith.divsi $0"
run = subprocess.Popen(["tegula-reduce", "--no-plugins", sys.argv[1], "--test", "sh",
                        "--test-arg", "-c", "--test-arg", LOOK],
                       stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
time.sleep(3)
run.send_signal(signal.SIGINT)
output, errors = run.communicate(timeout=60)
print("exit code", run.returncode)
print(errors)
print(output)
