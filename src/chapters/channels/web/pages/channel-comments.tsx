// What people say of a channel and its torrents; new words where its mode lets this node write.

import { useId, useState } from 'preact/hooks'
import type { Comment } from '../../client/routes.ts'
import { ago, named } from '../model/channel-words.ts'
import { addComment, authorKey, commentsOf, removeComment, torrentsOf } from '../node/channel-requests.ts'
import { ownerKeys } from '../node/channel-owner.ts'
import { session } from '../../../../web/node/context.ts'
import { useAnswer } from '../../../../web/node/use-answer.ts'
import { useParts } from '../../../../web/parts/more-rows.tsx'
import { Icon } from '../../../../web/parts/icons.tsx'
import { authorText } from '../model/channel-page-words.ts'
import { text } from '../texts/channel.ts'
import type { ChannelPartProps } from './channel-part.ts'

const EVERY_MS = 5000
/** As src/chapters/channels/wire/types.ts; the node refuses what is longer. */
const MAX_COMMENT = 1023

function CommentForm({ cid, changed }: { cid: string; changed: () => void }) {
  const [typed, setTyped] = useState('')
  const id = useId()
  const submit = async (event: Event) => {
    event.preventDefault()
    if (await session.attempt(() => addComment(cid, typed.trim(), null))) setTyped('')
    changed()
  }
  return (
    <form class="comment-form" onSubmit={event => void submit(event)}>
      <label for={id}>{text('commentLabel')}</label>
      <textarea
        id={id}
        rows={2}
        maxLength={MAX_COMMENT}
        value={typed}
        onInput={event => setTyped(event.currentTarget.value)}
      />
      <button type="submit" class="primary" disabled={typed.trim() === ''}>
        {text('comment')}
      </button>
    </form>
  )
}

interface CommentProps {
  readonly comment: Comment
  readonly author: string
  /** Name of the torrent it is about; empty: the channel. */
  readonly about: string
  readonly removable: boolean
  remove(): void
}

function Comment({ comment, author, about, removable, remove }: CommentProps) {
  const when = ago(comment.timestamp, Date.now() / 1000)
  return (
    <li class="comment" data-comment={comment.id}>
      <p class="sub number">
        <strong class="mono" title={comment.author}>
          {author}
        </strong>{' '}
        <bdi>{about === '' ? when : text('commentWhen', { when, torrent: about })}</bdi>
      </p>
      <p class="comment-text" dir="auto">
        {comment.text}
      </p>
      {removable && (
        <button type="button" class="quiet" aria-label={text('removeComment', { author })} onClick={remove}>
          <Icon name="trash" size={16} />
        </button>
      )}
    </li>
  )
}

/** What people say of a channel and its torrents; new words where its mode lets this node write. */
export function ChannelComments({ channel }: ChannelPartProps) {
  const { dispersy_cid: cid } = channel
  const ask = async (signal: AbortSignal) => {
    const list = await commentsOf(cid, signal)
    return {
      list,
      owners: await ownerKeys(
        cid,
        list.map(({ author }) => author),
      ),
    }
  }
  const comments = useAnswer(ask, [cid], EVERY_MS)
  const me = useAnswer(authorKey, [], 0)
  const all = comments.value?.list ?? []
  const onTorrents = all.some(({ infohash }) => infohash !== null)
  const torrents = useAnswer(
    signal => (onTorrents ? torrentsOf(cid, false, signal) : Promise.resolve([])),
    [cid, onTorrents],
    0,
  )
  const names = new Map(torrents.value?.map(({ infohash, name }) => [infohash, name]))
  const { shown, more } = useParts(all)
  const by = ({ author }: Comment) => {
    const byOwner = comments.value?.owners.has(author) === true
    return { byOwner, mine: author === me.value || (channel.own && byOwner) }
  }
  const remove = async (id: number) => {
    await session.attempt(() => removeComment(cid, id), text('commentRemoved'))
    comments.refresh()
  }
  return (
    <section aria-label={text('comments')} class="channel-part">
      {(channel.own || channel.can_edit || channel.mode !== 'closed') && (
        <CommentForm cid={cid} changed={comments.refresh} />
      )}
      {comments.value === null && (
        <p class="card muted">{comments.problem === '' ? text('asking') : comments.problem}</p>
      )}
      {comments.value?.list.length === 0 && <p class="nothing muted">{text('noComments')}</p>}
      {shown.length > 0 && (
        <ul class="comments" aria-label={text('comments')}>
          {shown.map(comment => (
            <Comment
              key={comment.id}
              comment={comment}
              author={authorText(comment.author, by(comment))}
              about={comment.infohash === null ? '' : named(names.get(comment.infohash) ?? '', 'torrent')}
              removable={channel.own || by(comment).mine}
              remove={() => void remove(comment.id)}
            />
          ))}
        </ul>
      )}
      {more}
    </section>
  )
}
