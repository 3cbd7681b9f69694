// Which sockets carry datagrams: those of src/native, or node:dgram where they cannot be had (another system than
// Linux, no machine code) or TRIBUTARY_DATAGRAMS=node asks for it. Found out when the first socket is bound: a start
// does not wait for it.

import { errorText } from '../../base/errors.ts'
import type { PeerAddress } from '../../base/ids.ts'
import type { Log } from '../../ports/log.ts'
import type { UdpNetwork, UdpSocket } from '../../ports/udp.ts'
import { nativePart } from '../native-part.ts'
import type { DeviceSockets } from './device-sockets.ts'
import { DgramNetwork } from './udp-dgram.ts'
import { UdpMachine } from './udp-machine.ts'
import { NativeNetwork } from './udp-native.ts'

/** What datagrams go by. */
export interface ChosenUdp {
  /** Null: node:dgram. */
  readonly machine: UdpMachine | null
  /** Why it is not the machine code; '' = it is, or nobody wants it. */
  readonly missing: string
}

/** Finds out what datagrams go by here. Never throws. */
export function chooseUdp(
  load: () => UdpMachine = () => UdpMachine.load(nativePart),
  wanted: string | undefined = process.env['TRIBUTARY_DATAGRAMS'],
): ChosenUdp {
  if (wanted === 'node') return { machine: null, missing: '' }
  try {
    return { machine: load(), missing: '' }
  } catch (error) {
    const [line = ''] = errorText(error).split('\n')
    return { machine: null, missing: line }
  }
}

/** UdpNetwork over what chooseUdp() finds. */
export class ChosenNetwork implements UdpNetwork {
  readonly #make: () => UdpNetwork
  #network: UdpNetwork | null = null

  /** `devices`: binds the sockets of a place whose addresses have devices. `log`: hears what is missing. */
  constructor(devices: DeviceSockets | null = null, log: Pick<Log, 'info'> | null = null, choose = chooseUdp) {
    this.#make = () => {
      const { machine, missing } = choose()
      if (missing !== '') log?.info('datagrams go by the sockets of Node, one by one', { why: missing })
      return machine === null ? new DgramNetwork(devices) : new NativeNetwork(machine, devices)
    }
  }

  bind(
    at: { family: 4 | 6; ip: string | null; port: number },
    receive: (bytes: Uint8Array, from: PeerAddress) => void,
  ): Promise<UdpSocket> {
    this.#network ??= this.#make()
    return this.#network.bind(at, receive)
  }
}
