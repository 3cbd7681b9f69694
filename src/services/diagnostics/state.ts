// What the node says of itself: state of the core, the newest unhandled exception, listening ports. Values only.

import type { NetworkFacts } from '../../ports/network-facts.ts'
import type { VolumeFacts } from '../../ports/volumes.ts'
import type { CoreStateName, NetworkState, StateRecord, StateService, VolumeRecord } from './state-api.ts'

/** An exception's text is cut here: it is meant to be read. */
const MAX_TEXT_CHARS = 2000

/** STARTING (-> UPGRADING -> STARTING) -> STARTED; the exception stays until the next start (decisions part 5). */
export class CoreState implements StateService {
  #state: CoreStateName = 'STARTING'
  #lastException: string | null = null
  /** Another object after each change: who asked for it may keep it. */
  #ports: Readonly<Record<string, number>> = {}
  #network: NetworkFacts | null = null
  readonly #volumes: () => readonly VolumeFacts[]

  /** `volumes`: those in use. */
  constructor(volumes: () => readonly VolumeFacts[] = () => []) {
    this.#volumes = volumes
  }

  read(): StateRecord {
    const volumes = this.#volumes().map(volumeRecord)
    return { state: this.#state, last_exception: this.#lastException, volumes }
  }

  ports(): Readonly<Record<string, number>> {
    return this.#ports
  }

  network(): NetworkState | null {
    const facts = this.#network
    if (facts === null) return null
    const bound = facts.boundTo()
    return {
      bound_to: bound === null ? null : [...bound],
      kept_to_devices: facts.keepsToDevices,
      proxied: facts.proxied,
      external_ipv4: facts.externalIp(4),
      external_ipv6: facts.externalIp(6),
      mappings: facts.mappings().map(({ internalPort, externalPort, externalIp, ...row }) => ({
        ...row,
        internal_port: internalPort,
        external_port: externalPort,
        external_ip: externalIp,
      })),
      mapping_problems: [...facts.mappingProblems()],
    }
  }

  get started(): boolean {
    return this.#state === 'STARTED'
  }

  get upgrading(): boolean {
    return this.#state === 'UPGRADING'
  }

  /** The store is being brought up to date, or that is over and the start goes on. */
  markUpgrading(underWay: boolean): void {
    this.#state = underWay ? 'UPGRADING' : 'STARTING'
  }

  /** Every download is loaded and the engine runs. */
  markStarted(): void {
    this.#state = 'STARTED'
  }

  /** Remembers the newest unhandled exception; the text as it is shown. */
  noteException(text: string): string {
    this.#lastException = text.slice(0, MAX_TEXT_CHARS)
    return this.#lastException
  }

  /** The engine runs: this is what it knows of its place. */
  setNetwork(facts: NetworkFacts): void {
    this.#network = facts
  }

  /** A port that is listened on; `name` has `~` between levels (spec 2.15). */
  setPort(name: string, port: number): void {
    this.#ports = { ...this.#ports, [name]: port }
  }
}

function volumeRecord({ mount, stalled, silentMs, waiting, stateDirectory }: VolumeFacts): VolumeRecord {
  return { mount, stalled, silent: Math.round(silentMs / 100) / 10, waiting, state_directory: stateDirectory }
}
