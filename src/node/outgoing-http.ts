// HTTP that the node does for itself, by the network stack: torrent files, the look for versions, webhooks.

import { readFeedInThread } from '../chapters/channels/io/feed-thread.ts'
import { GuardedFeed } from '../chapters/channels/io/guarded-feed.ts'
import { GuardedFetch } from '../io/net/guarded-fetch.ts'
import { GuardedPost } from '../io/net/guarded-post.ts'
import type { SourceFetch } from '../ports/source-fetch.ts'
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

/** Looks at feeds. */
export function makeFeedSource(
  environment: HttpEnvironment & Pick<NodeEnvironment, 'clock'>,
  hidden: () => SourceFetch | null,
): GuardedFeed {
  const { version, policy, stack, clock } = environment
  const { resolver, route } = stack.trackers
  const deps = { policy, resolver, route, hidden, wallMs: () => clock.wallMs() }
  return new GuardedFeed(
    { userAgent: `Tributary/${version}` },
    { ...deps, read: (document, signal) => readFeedInThread(document, signal) },
  )
}

/** Posts events. */
export function makeWebhookPost({ version, policy, stack }: HttpEnvironment): GuardedPost {
  const { resolver, route } = stack.trackers
  return new GuardedPost({ userAgent: `Tributary/${version}`, localIp: null }, { policy, resolver, route })
}
