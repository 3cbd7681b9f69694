// What a quantity costs. Rounded down, so that the parts of an order never cost more together than the whole.

/**
 * In the smallest unit of the price coin. `quantity`: smallest unit of the quantity coin; `price`: for one whole of it;
 * `decimals`: of the quantity coin.
 */
export function costOf(quantity: bigint, price: bigint, decimals: number): bigint {
  return (quantity * price) / 10n ** BigInt(decimals)
}
