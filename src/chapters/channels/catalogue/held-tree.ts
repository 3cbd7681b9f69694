// The trees over held sets (tree.ts): inner nodes are kept in the table `tree`, and forgotten along the ids that come
// and go.

import { prefixesOf, type Subtree, subtreeOf, type TreeSource, treeNodeOf } from '../wire/tree.ts'
import type { RecordId, TreeNode } from '../wire/types.ts'
import type { CatalogueContext } from './catalogue-context.ts'
import type { RecordRows } from './record-rows.ts'

/**
 * Digits of the longest prefix that is kept: beyond 16^12 a node of a million ids is a leaf, unless its ids were made
 * to collide.
 */
const DEEPEST = 12

/** Trees of all channels. */
export class HeldTree {
  readonly #context: CatalogueContext
  readonly #records: RecordRows

  constructor(context: CatalogueContext, records: RecordRows) {
    this.#context = context
    this.#records = records
  }

  /** The root over what is held of a channel. */
  root(channel: number): Subtree {
    const root = subtreeOf(this.#source(channel), '')
    if (root === null) throw new Error('a tree always has a root')
    return root
  }

  node(channel: number, prefix: string): TreeNode | null {
    return treeNodeOf(this.#source(channel), prefix)
  }

  /** To be called for ids that join or leave the held set. */
  forget(channel: number, ids: readonly RecordId[]): void {
    const prefixes = new Set(ids.flatMap(id => prefixesOf(id, DEEPEST)))
    for (const prefix of prefixes) {
      this.#context.sql.run('DELETE FROM tree WHERE channel = ? AND prefix = ?', channel, prefix)
    }
  }

  /** As forget(), for very many. */
  forgetAll(channel: number): void {
    this.#context.sql.run('DELETE FROM tree WHERE channel = ?', channel)
  }

  #source(channel: number): TreeSource {
    const { sql } = this.#context
    return {
      ids: (prefix, limit) => this.#records.heldIds(channel, prefix, limit),
      known: prefix =>
        sql.get<Subtree>('SELECT count, hash FROM tree WHERE channel = ? AND prefix = ?', channel, prefix),
      keep: (prefix, { count, hash }) => {
        if (prefix.length > DEEPEST) return
        sql.run(
          'INSERT OR REPLACE INTO tree (channel, prefix, count, hash) VALUES (?, ?, ?, ?)',
          channel,
          prefix,
          count,
          hash,
        )
      },
    }
  }
}
