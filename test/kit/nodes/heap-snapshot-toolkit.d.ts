// Types of the package (Chrome's own loader) as far as the tests use it.

declare module 'heap-snapshot-toolkit' {
  interface Aggregate {
    readonly name: string
    readonly count: number
  }
  interface HeapSnapshot {
    getAggregatesByClassKey(sorted: boolean, key: string): Record<string, Aggregate>
  }
  export function parse(text: ReadableStream): Promise<HeapSnapshot>
}
