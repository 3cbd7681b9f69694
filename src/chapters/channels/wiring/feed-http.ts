// How feeds are fetched: by the node's own HTTP, and read in a thread.

import type { NodeEnvironment } from '../../../node/environment.ts'
import type { SourceFetch } from '../../../ports/source-fetch.ts'
import { readFeedInThread } from '../io/feed-thread.ts'
import { GuardedFeed } from '../io/guarded-feed.ts'

/** Looks at feeds. `hidden`: what fetches them when new downloads are anonymous; null: they are not. */
export function makeFeedSource(
  { version, policy, stack, clock }: Pick<NodeEnvironment, 'version' | 'policy' | 'stack' | 'clock'>,
  hidden: () => SourceFetch | null,
): GuardedFeed {
  const { resolver, route } = stack.trackers
  const deps = { policy, resolver, route, hidden, wallMs: () => clock.wallMs() }
  return new GuardedFeed(
    { userAgent: `Tributary/${version}` },
    { ...deps, read: (document, signal) => readFeedInThread(document, signal) },
  )
}
