"""A session with a file of 20,000 open regions."""

import json
import sys


def say(method, params, **more):
    body = json.dumps({"jsonrpc": "2.0", "method": method, "params": params, **more})
    sys.stdout.write(f"Content-Length: {len(body)}\r\n\r\n{body}")


text = "func.func @f() {" + "scf.execute_region {" * 20000
document = {"uri": "file:///deep.mlir", "languageId": "mlir", "version": 1, "text": text}
say("initialize", {"processId": None, "rootUri": None, "capabilities": {}}, id=1)
say("textDocument/didOpen", {"textDocument": document})
say("shutdown", None, id=9)
say("exit", None)
