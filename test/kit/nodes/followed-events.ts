// The events of a node as they come, for tests that wait for some of them.

import type { NodeProcess } from './node-process.ts'

/** One line of GET /events. */
export interface FollowedEvent {
  readonly type: string
  readonly event?: Readonly<Record<string, unknown>>
}

/**
 * Events of these types, in a list that grows until `signal` fires. `since`: with those behind that number; null: from
 * now on.
 */
export async function followEvents(
  node: NodeProcess,
  types: readonly string[],
  signal: AbortSignal,
  since: number | null = null,
): Promise<FollowedEvent[]> {
  const found: FollowedEvent[] = []
  const query = since === null ? '' : `?since=${since}`
  const reply = await fetch(`${node.baseUrl}/events${query}`, { headers: { 'x-api-key': node.key }, signal })
  const read = async (): Promise<void> => {
    let text = ''
    for await (const chunk of reply.body ?? []) {
      text += Buffer.from(chunk).toString()
      const lines = text.split('\n')
      text = lines.pop() ?? ''
      for (const line of lines) {
        if (line === '') continue
        const event = JSON.parse(line) as FollowedEvent
        if (types.includes(event.type)) found.push(event)
      }
    }
  }
  // It ends with the signal, or with the node.
  void read().catch(() => undefined)
  return found
}
