// A list of facts: terms and their values.

/** Pairs of term and value, in their order. */
export type FactRows = readonly (readonly [string, string])[]

/** The list. */
export function FactList({ facts }: { facts: FactRows }) {
  return (
    <dl class="facts">
      {facts.map(([term, value]) => (
        <div key={term}>
          <dt>{term}</dt>
          <dd class="number">{value}</dd>
        </div>
      ))}
    </dl>
  )
}
