// The same in German.

import type { Translation } from '../language/texts.ts'
import type { FrameTexts } from './frame.ts'

/** Texts by their keys. */
export const german: Translation<FrameTexts> = {
  connecting: 'Verbindet',
  live: 'Verbunden',
  lost: 'Nicht verbunden',
  down: 'Download:',
  up: 'Upload:',
  keys: 'Tasten (?)',
  signOut: 'Abmelden',
  skip: 'Zum Inhalt springen',
  dropToAdd: 'Zum Hinzufügen ablegen',
  pages: 'Seiten',
  downloads: 'Downloads',
  player: 'Player',
  statistics: 'Statistik',
  events: 'Ereignisse',
  doctor: 'Diagnose',
  settings: 'Einstellungen',
  more: 'Mehr',
  allPages: 'Alle Seiten',
  fewerPages: 'Weniger Seiten',
  notLoaded: 'Diese Seite konnte nicht geladen werden. Dashboard neu laden.',
}
