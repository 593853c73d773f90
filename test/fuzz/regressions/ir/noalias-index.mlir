func.func private @noalias_index(index {tile.noalias})
