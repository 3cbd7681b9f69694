// The same in German.

import type { Translation } from '../../language/texts.ts'
import type { PeersTexts } from './peers.ts'

/** Texts by their keys. */
export const german: Translation<PeersTexts> = {
  loading: 'Wird geladen …',
  peers: 'Peers',
  noPeers: 'Kein Peer ist verbunden.',
  peer: 'Peer',
  has: 'Hat',
  down: 'Herunter',
  up: 'Hoch',
  unknownClient: 'Unbekannter Client',
  port: 'Port {{port}}',
  webSeed: 'Webseed',
  outgoing: 'ausgehend',
  incoming: 'eingehend',
  encrypted: 'verschlüsselt',
  snubbed: 'snubbed',
  optimistic: 'optimistisch',
  peerAddress: 'Adresse eines Peers mit Port',
  add: 'Hinzufügen',
  peerCalled: 'Während der Download läuft, verbindet er sich mit {{address}}.',
  peerKnown: 'Mit {{address}} ist er schon verbunden oder verbindet sich gerade.',
  commands: 'Befehle',
  banOne: '{{ip}} bannen',
  banTitle: 'Diese Adresse bannen',
  banWarning:
    'Jeder Download beendet seine Verbindungen mit {{ip}} und baut keine neuen auf, bis der Bann aufgehoben wird.',
  ban: 'Bannen',
  banned: '{{ip}} ist gebannt.',
  bans_one: '{{count, number}} gebannte Adresse',
  bans_other: '{{count, number}} gebannte Adressen',
  lift: 'Bann aufheben',
  liftOne: 'Den Bann von {{ip}} aufheben',
  lifted: 'Der Bann von {{ip}} ist aufgehoben.',
}
