// The matrix of the live tests: who had which role, and what was seen. Printed at the end; one line a cell.

const cells: { readonly role: string; readonly hops: string; readonly seen: string }[] = []

/** Writes down what was seen of our node in a role. */
export function seen(role: string, hops: number | string, what: string): void {
  cells.push({ role, hops: String(hops), seen: what })
}

/** Prints all. */
export function printMatrix(): void {
  const rows = [{ role: 'our role', hops: 'hops', seen: 'seen, py-ipv8 3.2 in all other roles' }, ...cells]
  const width = (key: 'role' | 'hops'): number => Math.max(...rows.map(row => row[key].length))
  const [role, hops] = [width('role'), width('hops')]
  for (const row of rows)
    process.stderr.write(`| ${row.role.padEnd(role)} | ${row.hops.padEnd(hops)} | ${row.seen} |\n`)
}
