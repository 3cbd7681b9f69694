// What every part of a node is made with: where its files are, its settings and log, time, chance, and the one way to
// the network.

import type { AddressPolicy } from '../io/net/address-policy.ts'
import type { NodeLog } from '../io/process/log.ts'
import type { NetworkStack } from '../io/net/network-stack.ts'
import type { VolumeLanes } from '../io/files/volume-lanes.ts'
import type { Clock } from '../ports/clock.ts'
import type { OwnFiles } from '../ports/own-files.ts'
import type { Random } from '../ports/random.ts'
import type { SettingsStore } from './settings/settings-store.ts'
import type { StartedParts } from './started-parts.ts'

/** What a node is made from; opened by main, closed by main. */
export interface NodeOptions {
  readonly stateDir: string
  readonly settings: SettingsStore
  readonly log: NodeLog
  readonly version: string
}

/**
 * What every part of a node is made with: where its files are, its settings and log, time, chance, and the one way to
 * the network.
 */
export interface NodeEnvironment extends NodeOptions {
  readonly clock: Clock
  readonly random: Random
  /** Which addresses sources, trackers and webhooks may have. */
  readonly policy: AddressPolicy
  readonly stack: NetworkStack
  /** The node's own files: what no download may touch. */
  readonly own: OwnFiles
  /** The way of calls on files of downloads, kept apart by volume. */
  readonly volumes: VolumeLanes
  /** Where a part that was started says how it is stopped. */
  readonly started: StartedParts
}
