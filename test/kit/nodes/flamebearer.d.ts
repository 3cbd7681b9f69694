// Types of the package as far as the tests use it.

declare module 'flamebearer' {
  interface Frame {
    readonly functionName: string
    readonly url: string
  }
  interface Thread {
    readonly sampleTimes: readonly number[]
    readonly sampleFrames: readonly (Frame | undefined)[]
    readonly nodes: ReadonlyMap<number, { readonly callFrame: Frame }>
    readonly nodeParent: ReadonlyMap<number, number>
    readonly nodeSelfTime: ReadonlyMap<number, number>
  }
  export function parseInput(bytes: Uint8Array, name: string): { source: string; threads: Thread[] }
}
