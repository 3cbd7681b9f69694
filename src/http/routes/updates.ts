// Routes of torrents that are updated through the DHT (BEP 46; extra, decision 0288). They translate names and nothing
// else.

import { AppError } from '../../base/errors.ts'
import { route } from '../route.ts'
import {
  CheckReply,
  FollowedReply,
  PublishedReply,
  PublishedSchema,
  PublishParameters,
  UnfollowReply,
  WithdrawReply,
} from '../schemas/updates.ts'
import { SAMPLE_INFOHASH } from './infohash.ts'

const tag = 'updates'

/** The segment `target`. What is not one is answered as what is not known. */
function targetOf(path: Readonly<Record<string, string>>): string {
  const text = (path['target'] ?? '').toLowerCase()
  if (!/^[0-9a-f]{40}$/.test(text)) throw new AppError('UpdateNotFound')
  return text
}

export const listFollowed = route({
  id: 'updates.followed',
  method: 'GET',
  path: '/updates/followed',
  kind: 'json',
  scope: 'read',
  tag,
  summary: 'Keys whose torrents are followed',
  choices: [
    'The whole route is extra. A key is followed by PUT /downloads with `magnet:?xs=urn:btpk:<public key>&s=<salt>` (BEP 46).',
    'The DHT is asked at intervals (setting `updates.interval`); a higher sequence number makes the event `torrent_updated` ' +
      'and a download with destination and limits of the one before; older versions stop (setting `updates.old_versions`).',
    'Removing the newest version ends the following; stopping it pauses it.',
  ],
  parameters: null,
  reply: FollowedReply,
  errors: [],
  sample: { path: '/updates/followed', status: 200 },
  run: ({ services }) => ({ followed: services.updates.followed() }),
})

export const checkFollowed = route({
  id: 'updates.check',
  method: 'POST',
  path: '/updates/followed/{target}/check',
  kind: 'json',
  scope: 'add',
  tag,
  summary: 'Asks the DHT for a new version now',
  choices: ['The whole route is extra. Answers when the DHT has been asked, which takes some seconds.'],
  parameters: null,
  reply: CheckReply,
  errors: ['UpdateNotFound', 'DhtUnavailable', 'StateConflict', 'NotReady'],
  sample: { path: `/updates/followed/${SAMPLE_INFOHASH}/check`, status: 200 },
  run: ({ services }, { path }) => services.updates.check(targetOf(path)),
})

export const unfollow = route({
  id: 'updates.unfollow',
  method: 'DELETE',
  path: '/updates/followed/{target}',
  kind: 'json',
  scope: 'add',
  tag,
  summary: 'Follows a key no more',
  choices: ['The whole route is extra. Its downloads stay as they are.'],
  parameters: null,
  reply: UnfollowReply,
  errors: ['UpdateNotFound', 'NotReady'],
  sample: { path: `/updates/followed/${SAMPLE_INFOHASH}`, status: 200 },
  run: ({ services }, { path }) => services.updates.unfollow(targetOf(path)),
})

export const listPublished = route({
  id: 'updates.published',
  method: 'GET',
  path: '/updates/published',
  kind: 'json',
  scope: 'read',
  tag,
  summary: 'Torrents published under the key of this node',
  choices: ['The whole route is extra.'],
  parameters: null,
  reply: PublishedReply,
  errors: [],
  sample: { path: '/updates/published', status: 200 },
  run: ({ services }) => ({ published: services.updates.published() }),
})

export const publish = route({
  id: 'updates.publish',
  method: 'PUT',
  path: '/updates/published',
  kind: 'json',
  scope: 'admin',
  tag,
  summary: 'Publishes a download as the newest version of a name',
  choices: [
    'The whole route is extra. The key pair is made at the first use and lies in the state directory; whoever follows `uri` ' +
      'gets each version that is published under the name.',
    'The DHT holds it for two hours; this node puts it again every 45 minutes. `copies` 0: no node took it yet.',
    'A private torrent is 409: the DHT must not hear of it.',
  ],
  parameters: PublishParameters,
  reply: PublishedSchema,
  errors: [
    'MissingParameter',
    'InvalidParameter',
    'DownloadNotFound',
    'MetadataNotFound',
    'StateConflict',
    'DhtUnavailable',
    'NotReady',
  ],
  sample: { path: '/updates/published', body: { name: 'dataset', infohash: SAMPLE_INFOHASH }, status: 200 },
  run: ({ services }, { parameters }) => services.updates.publish(parameters.name, parameters.infohash.toLowerCase()),
})

export const withdraw = route({
  id: 'updates.withdraw',
  method: 'DELETE',
  path: '/updates/published/{name}',
  kind: 'json',
  scope: 'admin',
  tag,
  summary: 'Publishes a name no more',
  choices: ['The whole route is extra. What nodes of the DHT hold ends within two hours.'],
  parameters: null,
  reply: WithdrawReply,
  errors: ['UpdateNotFound', 'NotReady'],
  sample: { path: '/updates/published/dataset', status: 200 },
  run: ({ services }, { path }) => services.updates.withdraw(path['name'] ?? ''),
})

/** Every route of this file. */
export const updateRoutes = [listFollowed, checkFollowed, unfollow, listPublished, publish, withdraw] as const
