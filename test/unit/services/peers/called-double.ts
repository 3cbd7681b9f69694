// What a torrent double does with peers that are called by hand.

import { addressKey, type PeerAddress } from '../../../../src/base/ids.ts'
import type { PeerCall } from '../../../../src/torrent/types.ts'
import { ForecastDouble } from '../../../kit/doubles/forecast-double.ts'

/** Notes whom it was to call, and answers what the test set. */
export class CalledDouble extends ForecastDouble {
  /** Addresses with their ports, in the order of the calls. */
  readonly called: string[] = []
  /** What is answered to each call. */
  peerCall: PeerCall = 'called'

  callPeer(peer: PeerAddress): PeerCall {
    this.called.push(addressKey(peer))
    return this.peerCall
  }
}
