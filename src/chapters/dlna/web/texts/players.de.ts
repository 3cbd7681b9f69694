// The same in German.

import type { Translation } from '../../../../web/language/texts.ts'
import type { PlayersTexts } from './players.ts'

/** Texts by their keys. */
export const german: Translation<PlayersTexts> = {
  players: 'Player',
  asking: 'Wird geladen …',
  found: 'Player finden diesen Knoten jetzt.',
  off: 'Für Player ist dieser Knoten nicht mehr sichtbar.',
  mayWatch: 'Player in diesem Netzwerk dürfen Filme abspielen',
  mayWatchHelp:
    'Fernseher, VLC und Kodi finden „{{name}}“ und spielen seine Filme ab. Das kann jeder im Netzwerk: Es wird kein Schlüssel verlangt. Downloads über Circuits werden nicht angezeigt.',
  servedAt: '{{name}}: {{address}}, Port {{port}}',
  noName: 'nennt keinen Namen',
  plays: 'spielt {{count, number}} ab',
  allowed: 'erlaubt',
  blocked: 'gesperrt',
  block: 'Sperren',
  allow: 'Erlauben',
  forget: 'Vergessen',
  isBlocked: '{{address}} ist gesperrt, seine Links gelten nicht mehr.',
  isAllowed: '{{address}} darf wieder Filme abspielen.',
  isForgotten: '{{address}} ist vergessen, seine Links gelten nicht mehr.',
  noDevice: 'Noch kein Gerät hat gefragt.',
  devices: 'Geräte mit Links',
  address: 'Adresse',
  name: 'Name',
  state: 'Zustand',
  lastSeen: 'Zuletzt gesehen',
  actions: 'Aktionen',
}
