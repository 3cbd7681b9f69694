// Routes of the core: torrent metadata, settings, variables (spec 4.2, 4.9; decisions part 5).

import type { Json } from '../../services/settings/settings-api.ts'
import { PreparedJson, route } from '../route.ts'
import {
  EffectiveSettingsReply,
  SettingsChangeReply,
  SettingsHistoryParameters,
  SettingsHistoryReply,
  SettingsReply,
  SettingsSections,
  TorrentInfoParameters,
  TorrentInfoReply,
  VariablesReply,
} from '../schemas/settings.ts'
import { SAMPLE_INFOHASH } from './infohash.ts'
import { SOURCE_ERRORS } from './source-errors.ts'

const torrentInfo = route({
  id: 'torrentinfo.read',
  method: 'GET',
  path: '/torrentinfo',
  kind: 'json',
  scope: 'add',
  tag: 'torrent info',
  summary: 'The metadata behind a magnet link, URL or torrent file',
  choices: [
    '`metainfo` is the dictionary as JSON: text where it is UTF-8, `pieces` and other binary as hex.',
    '`infohash` and `download_exists` are extra. `uri` is read as another name of `torrent`; sources are those of PUT ' +
      '/downloads. A magnet is looked for during 60 s, then 408.',
    '`anon_hops` (extra): everything is fetched through circuits of so many hops; absent = as a new download (settings ' +
      'download_defaults), so that a look at a link tells no more than the download would.',
  ],
  parameters: TorrentInfoParameters,
  oldNames: { uri: 'torrent' },
  reply: TorrentInfoReply,
  errors: SOURCE_ERRORS,
  sample: { path: '/torrentinfo', query: `torrent=magnet:%3Fxt=urn:btih:${SAMPLE_INFOHASH}`, status: 200 },
  run: async ({ services }, { parameters, signal, caller }) => {
    const { uri } = await services.callerPaths.admit({ uri: parameters.torrent }, caller)
    const { metainfo, ...others } = await services.torrentInfo.read(uri, signal, parameters.anon_hops)
    const end = `,${JSON.stringify(others).slice(1)}`
    return new PreparedJson([Buffer.from('{"metainfo":'), ...metainfo, Buffer.from(end)])
  },
})

const readSettings = route({
  id: 'settings.read',
  method: 'GET',
  path: '/settings',
  kind: 'json',
  scope: 'admin',
  tag: 'settings',
  summary: 'All settings, and the ports in use',
  choices: [
    'Sections and options are those of this node; schema `Settings` has their types, ranges and defaults.',
    'Secrets come back as null. `ports` (extra): ports in use by name, as in /variables.',
  ],
  parameters: null,
  reply: SettingsReply,
  errors: [],
  sample: { path: '/settings', status: 200 },
  run: ({ services }) => services.settings.read(),
})

const changeSettings = route({
  id: 'settings.change',
  method: 'POST',
  path: '/settings',
  kind: 'json',
  scope: 'admin',
  tag: 'settings',
  summary: 'Changes settings, all or none',
  choices: [
    'Everything is checked before anything changes: an unknown key, a wrong type or range, or a value nested too deep is ' +
      '400 `InvalidSetting` naming the path. An empty object of an unknown section does nothing.',
    'Numbers may come as texts. Secrets given as null stay as they are. `modified` tells whether a value changed.',
    'The first key may change everything but options that name a program, which are set in the file or by a flag alone. Other ' +
      'keys may not change `wallets`, `market_community`, `api`, general.allowed_paths, general.log_dir, network.allow_private and ' +
      'tunnel_community.exit_allow_private (403 `ScopeMissing`), and name only files and folders that they may use (403 ' +
      '`PathNotAllowed`). Folders that are written to are never among the files of the node itself.',
    '`restart_required` (extra): options that take effect at the next start. `overridden` (extra): options that a flag or ' +
      'the environment holds: the value is kept in the file and not used while that is so. When nothing else was asked ' +
      'for, `modified` is false.',
  ],
  parameters: 'object',
  bodySchema: SettingsSections,
  reply: SettingsChangeReply,
  errors: ['InvalidSetting', 'BadRequest', 'ScopeMissing', 'PathNotAllowed', 'StateConflict'],
  sample: { path: '/settings', body: { libtorrent: { port: -1 } }, status: 200 },
  run: ({ services }, { parameters, caller }) => {
    // The body came out of JSON.parse.
    return services.settings.change(parameters as { [key: string]: Json }, caller)
  },
})

const effectiveSettings = route({
  id: 'settings.effective',
  method: 'GET',
  path: '/settings/effective',
  kind: 'json',
  scope: 'admin',
  tag: 'settings',
  summary: 'Where the value of each setting comes from',
  choices: [
    'The whole route is extra. A flag wins over the environment, that over the configuration file, that over the default.',
  ],
  parameters: null,
  reply: EffectiveSettingsReply,
  errors: [],
  sample: { path: '/settings/effective', status: 200 },
  run: ({ services }) => services.settings.effective(),
})

const settingsHistory = route({
  id: 'settings.history',
  method: 'GET',
  path: '/settings/history',
  kind: 'json',
  scope: 'admin',
  tag: 'settings',
  summary: 'What settings were changed to, and when',
  choices: [
    'The whole route is extra. Newest first; the newest 10,000 changes are kept. Secrets are shown as null.',
    '`origin`: `request` (POST /settings), or `file` for what was edited in the configuration file while the node did not run.',
  ],
  parameters: SettingsHistoryParameters,
  reply: SettingsHistoryReply,
  errors: ['InvalidParameter', 'NotReady'],
  sample: { path: '/settings/history', query: 'limit=5', status: 200 },
  run: async ({ services }, { parameters: { before, limit } }) => ({
    history: await services.settings.history(before ?? null, limit ?? 100),
  }),
})

const variables = route({
  id: 'variables.read',
  method: 'GET',
  path: '/variables',
  kind: 'json',
  scope: 'read',
  tag: 'core',
  summary: 'Values decided at run time, such as ports',
  choices: [
    'Names of ports: `http_api~port` (this interface), `libtorrent~port` (peers).',
    '`network` (extra, absent until the engine runs): what the node is bound to, ports that routers lead to it, its address outside.',
  ],
  parameters: null,
  reply: VariablesReply,
  errors: [],
  sample: { path: '/variables', status: 200 },
  run: ({ services }) => {
    const network = services.state.network()
    return { variables: { ports: services.state.ports(), ...(network === null ? {} : { network }) } }
  },
})

/** Every route of this file. */
export const coreRoutes = [
  torrentInfo,
  readSettings,
  changeSettings,
  effectiveSettings,
  settingsHistory,
  variables,
] as const
