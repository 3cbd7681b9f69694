// Several networks of channels as one: the overlay, and the DHT with packs.

import type { ChannelNetwork } from '../ports/channel-network.ts'

/** All are asked at once; what the first finds counts. */
export function joinNetworks(networks: readonly ChannelNetwork[]): ChannelNetwork {
  return {
    find: (channel, limitMs) => anyTrue(networks.map(network => network.find(channel, limitMs))),
    async search(text, limitMs, found) {
      await Promise.all(networks.map(network => network.search(text, limitMs, found)))
    },
    hurry(channel) {
      for (const network of networks) network.hurry(channel)
    },
  }
}

/** True as soon as one is; false when all are not. */
function anyTrue(answers: readonly Promise<boolean>[]): Promise<boolean> {
  return new Promise(resolve => {
    let left = answers.length
    if (left === 0) resolve(false)
    for (const answer of answers) {
      void answer.then(found => {
        if (found) resolve(true)
        else if (--left === 0) resolve(false)
      })
    }
  })
}
