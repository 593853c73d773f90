//===- Operators.h - Operators of the tree as operators of values ---------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_FRONTEND_SEMANTICS_OPERATORS_H
#define TEGULA_FRONTEND_SEMANTICS_OPERATORS_H

#include "Semantics.h"
#include "tegula/Frontend/AST.h"

namespace tegula::frontend {

inline ArithOp toArithOp(BinaryOp op) {
  switch (op) {
  case BinaryOp::Add:
    return ArithOp::Add;
  case BinaryOp::Sub:
    return ArithOp::Sub;
  case BinaryOp::Mult:
    return ArithOp::Mul;
  case BinaryOp::MatMult:
    return ArithOp::MatMul;
  case BinaryOp::Div:
    return ArithOp::Div;
  case BinaryOp::FloorDiv:
    return ArithOp::FloorDiv;
  case BinaryOp::Mod:
    return ArithOp::Mod;
  case BinaryOp::Pow:
    return ArithOp::Pow;
  case BinaryOp::LShift:
    return ArithOp::Shl;
  case BinaryOp::RShift:
    return ArithOp::Shr;
  case BinaryOp::BitOr:
    return ArithOp::BitOr;
  case BinaryOp::BitXor:
    return ArithOp::BitXor;
  case BinaryOp::BitAnd:
    return ArithOp::BitAnd;
  }
  return ArithOp::Add;
}

inline PrefixOp toPrefixOp(UnaryOp op) {
  switch (op) {
  case UnaryOp::Invert:
    return PrefixOp::Invert;
  case UnaryOp::Not:
    return PrefixOp::Not;
  case UnaryOp::Plus:
    return PrefixOp::Plus;
  case UnaryOp::Minus:
    return PrefixOp::Minus;
  }
  return PrefixOp::Plus;
}

inline RelationOp toRelationOp(CompareOp op) {
  switch (op) {
  case CompareOp::Eq:
    return RelationOp::Eq;
  case CompareOp::NotEq:
    return RelationOp::Ne;
  case CompareOp::Lt:
    return RelationOp::Lt;
  case CompareOp::LtE:
    return RelationOp::Le;
  case CompareOp::Gt:
    return RelationOp::Gt;
  case CompareOp::GtE:
    return RelationOp::Ge;
  case CompareOp::Is:
    return RelationOp::Is;
  case CompareOp::IsNot:
    return RelationOp::IsNot;
  case CompareOp::In:
    return RelationOp::In;
  case CompareOp::NotIn:
    return RelationOp::NotIn;
  }
  return RelationOp::Eq;
}

} // namespace tegula::frontend

#endif // TEGULA_FRONTEND_SEMANTICS_OPERATORS_H
