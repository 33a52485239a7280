// SPDX-License-Identifier: Apache-2.0
//
// Overloaded: a visitor for std::visit out of lambdas, one per alternative. A value; no state of its own.
#pragma once

namespace tidemark::core {

template <typename... Handlers>
struct Overloaded : Handlers... {
  using Handlers::operator()...;
};
template <typename... Handlers>
Overloaded(Handlers...) -> Overloaded<Handlers...>;

}  // namespace tidemark::core
