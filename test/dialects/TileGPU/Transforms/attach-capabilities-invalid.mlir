// RUN: tegula-opt --no-plugins %s -split-input-file -verify-diagnostics -tilegpu-attach-capabilities

// expected-error @below {{expected the attribute 'tile.target' of a GPU backend, got none [tilegpu-no-capabilities]}}
module {
}
