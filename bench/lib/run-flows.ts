// Flows one after the other. What a flow has measured stays when it fails or the whole is interrupted, and after each
// round of a case `save` has it.

import type { Flow } from './flow.ts'
import type { FlowOptions, FlowResult } from './flow-result.ts'
import type { CaseResult } from './samples.ts'

/** What was measured so far, and what failed. */
export class FlowResults {
  readonly #save: (flows: readonly FlowResult[]) => void
  #over: readonly FlowResult[]
  #running: { readonly name: string; readonly cases: Map<string, CaseResult> } | null = null

  /** `earlier`: of other runs, each replaced by a flow of its name. `save` is called whenever there is more. */
  constructor(save: (flows: readonly FlowResult[]) => void, earlier: readonly FlowResult[] = []) {
    this.#save = save
    this.#over = earlier
  }

  /** All of it; a flow that has not come to its end is one that failed. */
  all(): readonly FlowResult[] {
    return this.#running === null ? this.#over : this.#with(this.#cutOff('interrupted'))
  }

  /** Runs one; what it throws is in its result. */
  async run(flow: Flow, options: FlowOptions): Promise<void> {
    const cases = new Map<string, CaseResult>()
    this.#running = { name: flow.name, cases }
    const heard = (found: CaseResult) => {
      cases.set(found.id, found)
      this.#save(this.all())
    }
    this.#over = this.#with(await this.#result(flow, { ...options, heard }))
    this.#running = null
    this.#save(this.#over)
  }

  async #result(flow: Flow, options: FlowOptions): Promise<FlowResult> {
    try {
      return { ...(await flow.run(options)), name: flow.name }
    } catch (error) {
      return this.#cutOff(error instanceof Error ? (error.stack ?? error.message) : String(error))
    }
  }

  #cutOff(why: string): FlowResult {
    const { name = '', cases = new Map<string, CaseResult>() } = this.#running ?? {}
    return { name, title: name, cases: [...cases.values()], notes: [`FAILED ${name}: ${why}`] }
  }

  #with(result: FlowResult): FlowResult[] {
    const at = this.#over.findIndex(({ name }) => name === result.name)
    return at < 0 ? [...this.#over, result] : this.#over.with(at, result)
  }
}
