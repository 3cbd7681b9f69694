// The face of a chapter towards the node: everything that the core has of it goes through here, and nothing else of the
// core names a chapter (decision 0513). Faces are small: what a chapter works with is loaded when it is needed.

import type { Route } from '../http/route.ts'
import type { EventDocs } from '../services/events/event-table.ts'
import type { Finding } from './doctor/finding.ts'
import type { Kernel, OpenedChapter } from './kernel.ts'
import type { KeptFiles } from './state/kept-files.ts'
import type { Settings } from './settings/settings-schema.ts'
import type { SettingsTable } from './settings/settings-table.ts'

/** What a chapter gives to a node. */
export interface NodeChapter {
  /** The name of its folder. */
  readonly id: string
  /** Ids of the chapters it is built upon. */
  readonly needs: readonly string[]
  /** Its sections of the settings, and who may change what in them. */
  readonly settings: SettingsTable
  /** What of it lies in the state directory. */
  readonly kept: KeptFiles
  /** What `tributary doctor` finds of it; `isRunning`: a node of the same state directory runs. */
  examine?(settings: Settings, isRunning: boolean): Promise<readonly Finding[]>
  /** Events that it emits. */
  readonly events: EventDocs
  /** Its routes, in the order of the documentation; loaded at their first use (`first-use.json` of its folder). */
  routes(): readonly Route[]
  /** Its services, there from the first moment; nothing of it runs before somebody needs it. */
  open(kernel: Kernel): OpenedChapter
}
