// HTTP that the node does for itself, by the network stack: torrent files, the look for versions, webhooks.

import { GuardedFetch } from '../io/net/guarded-fetch.ts'
import { GuardedPost } from '../io/net/guarded-post.ts'
import type { NodeEnvironment } from './environment.ts'

/** The page of a release tells more than its version. */
const MAX_VERSION_BYTES = 256 * 1024

type HttpEnvironment = Pick<NodeEnvironment, 'version' | 'policy' | 'stack'>

/** Fetches torrent files of plain downloads. */
export function makeSourceFetch({ version, policy, stack }: HttpEnvironment): GuardedFetch {
  const { resolver, route } = stack.trackers
  return new GuardedFetch({ userAgent: `Tributary/${version}` }, { policy, resolver, route })
}

/** Fetches what answers small. */
export function makeVersionFetch({ version, policy, stack }: HttpEnvironment): GuardedFetch {
  const { resolver, route } = stack.trackers
  const options = { userAgent: `Tributary/${version}`, maxBytes: MAX_VERSION_BYTES }
  return new GuardedFetch(options, { policy, resolver, route })
}

/** Posts events. */
export function makeWebhookPost({ version, policy, stack }: HttpEnvironment): GuardedPost {
  const { resolver, route } = stack.trackers
  return new GuardedPost({ userAgent: `Tributary/${version}`, localIp: null }, { policy, resolver, route })
}
