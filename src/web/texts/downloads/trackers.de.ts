// The same in German.

import type { Translation } from '../../language/texts.ts'
import type { TrackersTexts } from './trackers.ts'

/** Texts by their keys. */
export const german: Translation<TrackersTexts> = {
  trackers: 'Tracker',
  source: 'Quelle von Peers',
  seeds: 'Seeds',
  leeches: 'Leecher',
  peers: 'Peers',
  commands: 'Befehle',
  tier: 'Stufe {{tier, number}}',
  tierOwn: 'Stufe {{tier, number}}, eine eigene',
  next: 'nächste Anfrage in {{time}}',
  nextNow: 'jetzt fällig',
  remove: 'Entfernen',
  removeOne: '{{url}} entfernen',
  trackerRemoved: 'Tracker entfernt.',
  trackerAdded: 'Tracker hinzugefügt.',
  trackerChanged: 'Tracker geändert.',
  trackerAddress: 'Adresse eines Trackers',
  add: 'Hinzufügen',
  announce: 'Jetzt anfragen',
  announceTo: '{{url}} jetzt anfragen',
  announced: 'Die Tracker werden gefragt.',
  notAnnounced: 'Kein Tracker wurde gefragt: Der Download läuft nicht, oder es war gerade erst.',
  edit: 'Tracker bearbeiten',
  editOne: '{{url}} bearbeiten',
  address: 'Adresse',
  addressHelp: 'Tracker eines privaten Torrents behalten ihren Host: Nur der Rest der Adresse darf sich ändern.',
  asked: 'Wird gefragt',
  askedHelp: 'Stufe 0 wird zuerst gefragt, die nächste, wenn dort keiner antwortet.',
  save: 'Speichern',
}
