// One CPU profile out of those of several threads, as any viewer of .cpuprofile files reads it. The format has one line
// of time, so the threads follow each other on it, each under a frame of its own. Pure.

/** A frame of a .cpuprofile; lines and columns from 0. */
export interface ProfileFrame {
  readonly functionName: string
  readonly scriptId: string
  readonly url: string
  readonly lineNumber: number
  readonly columnNumber: number
}

/** A node of the call tree. */
export interface ProfileNode {
  readonly id: number
  readonly callFrame: ProfileFrame
  readonly hitCount?: number
  readonly children?: readonly number[]
  readonly positionTicks?: readonly { readonly line: number; readonly ticks: number }[]
}

/** V8's CPU profile: times in microseconds; `timeDeltas[i]` goes before `samples[i]`, a node's id. */
export interface CpuProfile {
  readonly nodes: readonly ProfileNode[]
  readonly startTime: number
  readonly endTime: number
  readonly samples?: readonly number[]
  readonly timeDeltas?: readonly number[]
}

/** A thread's profile. */
export interface ThreadProfile {
  readonly name: string
  readonly profile: CpuProfile
}

/** What V8 calls time that belongs to no function; viewers know these only right below the root. */
const META = ['(program)', '(idle)', '(garbage collector)']
const ROOT_ID = 1
const FIRST_THREAD_ID = ROOT_ID + META.length + 1

/** The profiles one after the other. Ids, samples and deltas are those of one profile. */
export function joinProfiles(threads: readonly ThreadProfile[]): Required<CpuProfile> {
  const joined = new JoinedProfile()
  for (const thread of threads) joined.add(thread)
  return joined.done()
}

class JoinedProfile {
  readonly #nodes: ProfileNode[] = []
  readonly #top: number[] = META.map((_, at) => ROOT_ID + 1 + at)
  readonly #hits = META.map(() => 0)
  readonly #samples: number[] = []
  readonly #deltas: number[] = []
  #nextId = FIRST_THREAD_ID
  #startTime = 0
  #duration = 0
  /** Microseconds from the last sample to the end of its thread. */
  #rest = 0

  add({ name, profile }: ThreadProfile): void {
    if (this.#startTime === 0) this.#startTime = profile.startTime
    const ids = this.#number(profile)
    for (const node of profile.nodes) this.#addNode(node, name, ids, node === profile.nodes[0])
    this.#addSamples(profile, ids)
  }

  done(): Required<CpuProfile> {
    const root: ProfileNode = { id: ROOT_ID, callFrame: frame('(root)'), hitCount: 0, children: this.#top }
    const meta = META.map((name, at) => ({
      id: ROOT_ID + 1 + at,
      callFrame: frame(name),
      hitCount: this.#hits[at] ?? 0,
    }))
    return {
      nodes: [root, ...meta, ...this.#nodes],
      startTime: this.#startTime,
      endTime: this.#startTime + this.#duration,
      samples: this.#samples,
      timeDeltas: this.#deltas,
    }
  }

  /** Old id -> new one; what belongs to no function is one node for all threads. */
  #number({ nodes }: CpuProfile): Map<number, number> {
    const ids = new Map<number, number>()
    const below = new Set(nodes[0]?.children)
    for (const { id, callFrame } of nodes) {
      const meta = below.has(id) && callFrame.url === '' ? META.indexOf(callFrame.functionName) : -1
      ids.set(id, meta < 0 ? this.#nextId++ : ROOT_ID + 1 + meta)
    }
    return ids
  }

  #addNode(node: ProfileNode, thread: string, ids: ReadonlyMap<number, number>, isRoot: boolean): void {
    const id = ids.get(node.id) ?? 0
    if (id < FIRST_THREAD_ID) {
      const at = id - ROOT_ID - 1
      this.#hits[at] = (this.#hits[at] ?? 0) + (node.hitCount ?? 0)
      return
    }
    if (isRoot) this.#top.push(id)
    const children = (node.children ?? []).map(child => ids.get(child) ?? 0).filter(child => child >= FIRST_THREAD_ID)
    this.#nodes.push({ ...node, id, callFrame: isRoot ? frame(`[${thread}]`) : node.callFrame, children })
  }

  #addSamples(
    { startTime, endTime, samples = [], timeDeltas = [] }: CpuProfile,
    ids: ReadonlyMap<number, number>,
  ): void {
    let sinceStart = 0
    for (const [at, sample] of samples.entries()) {
      const delta = timeDeltas[at] ?? 0
      sinceStart += delta
      this.#samples.push(ids.get(sample) ?? ROOT_ID)
      this.#deltas.push(at === 0 ? delta + this.#rest : delta)
    }
    const duration = Math.max(endTime - startTime, sinceStart)
    this.#rest = duration - sinceStart + (samples.length === 0 ? this.#rest : 0)
    this.#duration += duration
  }
}

function frame(functionName: string): ProfileFrame {
  return { functionName, scriptId: '0', url: '', lineNumber: -1, columnNumber: -1 }
}
