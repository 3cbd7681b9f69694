// Which content coding a client prefers (RFC 9110 12.5.3). Pure.

/** Codings of answers, as Content-Encoding names them. */
export type Coding = 'zstd' | 'gzip'

const WEIGHT = /^q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/i

/**
 * The coding with the greatest weight among those `offered`, the first of equal ones; null = as it is: none is wanted,
 * or that is wanted more. What cannot be read counts as not there.
 */
export function chooseCoding(header: string, offered: readonly Coding[]): Coding | null {
  if (header === '') return null
  const weights = weightsIn(header)
  const other = weights.get('*') ?? 0
  let [best, weight]: [Coding | null, number] = [null, 0]
  for (const coding of offered) {
    const own = weights.get(coding) ?? other
    if (own > weight) [best, weight] = [coding, own]
  }
  return weight < (weights.get('identity') ?? 0) ? null : best
}

function weightsIn(header: string): ReadonlyMap<string, number> {
  const weights = new Map<string, number>()
  for (const element of header.split(',')) {
    const [name = '', ...parameters] = element.split(';').map(part => part.trim().toLowerCase())
    const weight = parameters.length === 0 ? 1 : Number(WEIGHT.exec(parameters[0] ?? '')?.[1] ?? Number.NaN)
    if (name !== '' && !Number.isNaN(weight)) weights.set(name === 'x-gzip' ? 'gzip' : name, weight)
  }
  return weights
}
