"""Sends a signal to tegula-cts while a slow device keeps its main thread in a test.

Usage: crash_in_slot.py SIGNAL COMMAND... Prints the exit code and what standard error has.
"""

import signal
import subprocess
import sys
import time

run = subprocess.Popen(sys.argv[2:], stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
time.sleep(3)
run.send_signal(getattr(signal, sys.argv[1]))
errors = run.communicate(timeout=60)[1]
print("exit code", run.returncode)
print(errors)
