# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""An editor's session with tegula-lsp-server: prints what came back."""

import json
import subprocess
import sys

RIGHT = """func.func @scale(%x: !tile.ptr<f32>) attributes {tile.kernel} {
  %range = tile.range 0 to 64 : tensor<64xi32>
  %base = tile.splat %x : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
  %at = tile.addptr %base, %range : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  %value = tile.load %at : tensor<64x!tile.ptr<f32>>
  tile.store %at, %value : tensor<64x!tile.ptr<f32>>
  return
}
"""
WRONG = RIGHT.replace("0 to 64", "64 to 0")


def main():
    with subprocess.Popen(["tegula-lsp-server", *sys.argv[1:]], stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE) as server:
        def send(**message):
            body = json.dumps({"jsonrpc": "2.0", **message}).encode()
            server.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
            server.stdin.flush()

        def receive():
            size = 0
            while (line := server.stdout.readline().strip()):
                if line.lower().startswith(b"content-length:"):
                    size = int(line.split(b":")[1])
            return json.loads(server.stdout.read(size))

        def answer(number, method, line, character):
            send(id=number, method=method,
                 params={"textDocument": {"uri": "file:///right.mlir"},
                         "position": {"line": line, "character": character}})
            while (got := receive()).get("id") != number:
                pass
            return got["result"]

        send(id=0, method="initialize", params={"capabilities": {}})
        print("server:", receive()["result"]["serverInfo"]["name"])
        for name, text in (("wrong", WRONG), ("right", RIGHT)):
            send(method="textDocument/didOpen",
                 params={"textDocument": {"uri": f"file:///{name}.mlir", "languageId": "mlir",
                                          "version": 1, "text": text}})
            got = receive()
            assert got["method"] == "textDocument/publishDiagnostics", got
            found = got["params"]["diagnostics"]
            print(f"{name}:", len(found), "diagnostics",
                  *(f"line {d['range']['start']['line']}: {d['message']}" for d in found))
        place = answer(1, "textDocument/definition", 5, 20)[0]["range"]["start"]
        print("definition:", place["line"], place["character"])
        print("hover:", " ".join(answer(2, "textDocument/hover", 4, 13)["contents"]["value"].split()))
        send(id=3, method="shutdown")
        while receive().get("id") != 3:
            pass
        send(method="exit")
        server.stdin.close()
        print("exit:", server.wait(timeout=30))


main()
