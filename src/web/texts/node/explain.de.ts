// The same in German.

import type { Translation } from '../../language/texts.ts'
import type { ExplainTexts } from './explain.ts'

/** Texts by their keys. */
export const german: Translation<ExplainTexts> = {
  load_failed: 'Der Download konnte nicht geladen werden.',
  load_failed_detail: 'Der Fehler: {{error}}',
  loading: 'Er wird nach dem Start noch geladen.',
  volume_stalled:
    'Die Platte mit seinen Dateien antwortet nicht. Sobald sie antwortet, geht der Download von selbst weiter.',
  volume_stalled_detail: 'Sie ist unter {{mount}} eingehängt.',
  disk_full: 'Die Platte ist voll. Sobald Platz da ist, geht der Download von selbst weiter.',
  disk_errors:
    'Seine Platte meldet Fehler. Was fehlschlug, wird eine Minute lang wiederholt; dann hält der Download an.',
  foreign_file:
    'An seiner Stelle liegt eine andere Datei. Verschieben Sie diese, wählen Sie einen anderen Ordner oder wählen Sie die Datei ab; oder setzen Sie mit Überschreiben fort, um sie zu ersetzen.',
  failed: 'Ein Fehler hat ihn angehalten. Setzen Sie ihn fort, um es wieder zu versuchen.',
  failed_detail: 'Der Fehler: {{error}}',
  file_changed:
    'Ein anderes Programm hat seine Dateien geändert. Sie werden geprüft, bevor sie wieder geteilt werden; was beschädigt ist, wird neu geladen.',
  file_changed_detail: 'Geändert: {{files}}.',
  seeding_goal_reached:
    'Er hat sein Ziel beim Seeden erreicht (Ratio oder Zeit). Setzen Sie ihn fort, um weiter zu seeden.',
  stopped: 'Angehalten. Setzen Sie ihn fort, damit er weiterläuft.',
  queued: 'In der Warteschlange: Andere sind zuerst dran (Einstellungen active_*).',
  queued_detail: 'Er ist Nummer {{place}} in der Reihe.',
  moving_storage: 'Seine Dateien werden verschoben; Lesen und Schreiben warten so lange.',
  waiting_for_check: 'Er wartet, bis seine Daten geprüft werden können (Einstellung active_checking).',
  checking: 'Seine Daten werden geprüft.',
  allocating: 'Platz für seine Dateien wird angelegt.',
  no_relays_known: 'Er braucht Circuits, und noch ist kein Relay bekannt.',
  no_relays_known_detail: 'Der letzte Fehlschlag: {{failure}}',
  no_exits_known: 'Er braucht Circuits, und noch ist kein Exit bekannt.',
  no_exits_known_detail: 'Der letzte Fehlschlag: {{failure}}',
  building_circuits: 'Er braucht Circuits; die ersten werden aufgebaut.',
  building_circuits_detail: 'Der letzte Fehlschlag: {{failure}}',
  waiting_for_metadata: 'Wartet auf Metadaten: Dazu ist ein Peer nötig, der sie hat.',
  nobody_reads: 'Ansehen und vergessen: Daten werden nur geladen, während jemand abspielt.',
  nothing_selected: 'Keine Datei ist ausgewählt.',
  web_seeds_failing: 'Keiner seiner Web-Seeds liefert, was fehlt.',
  no_trackers:
    'Er hat keinen Tracker, und das DHT ist aus oder für ihn nicht erlaubt. Fügen Sie einen Tracker hinzu oder schalten Sie das DHT ein.',
  tracker_refused:
    'Sein Tracker lehnt diesen Torrent ab. Holen Sie dort, woher er kam, eine neue Torrent-Datei, oder fragen Sie dort nach.',
  tracker_refused_detail: 'Der Tracker {{tracker}} sagt: {{words}}',
  private_without_tracker: 'Er ist privat, also nennen nur seine Tracker Peers, und keiner davon antwortet.',
  private_without_tracker_detail: 'Der Fehler von {{tracker}}: {{words}}',
  no_tracker_answers: 'Keiner seiner Tracker antwortet.',
  no_tracker_answers_detail: 'Der Fehler von {{tracker}}: {{words}}',
  trackers_pending: 'Seine Tracker haben noch nicht geantwortet.',
  no_peers_known: 'Noch keine Peers gefunden.',
  interface_gone:
    'Es wird nichts gesendet: Die Netzwerkschnittstelle, an die der Knoten gebunden ist, hat keine Adresse (Einstellung interface).',
  proxy_failing: 'Der Proxy antwortet nicht oder weist den Knoten ab.',
  all_filtered: 'Jeder bekannte Peer ist vom IP-Filter gesperrt oder gebannt (Einstellungen ip_filter, banned_peers).',
  all_blocked: 'Jeder bekannte Peer ist gesperrt oder gefiltert.',
  encryption_required:
    'Peers brechen die Verbindung ab: Vielleicht können sie keine Verschlüsselung, die verlangt ist (Einstellung encryption).',
  encryption_off:
    'Peers brechen die Verbindung ab: Vielleicht verlangen sie Verschlüsselung, die aus ist (Einstellung encryption).',
  connection_limit: 'Die Grenze für Verbindungen ist erreicht (Einstellung max_connections).',
  connecting: 'Verbindet sich mit Peers.',
  nobody_reachable: 'Peers sind bekannt, aber zurzeit ist keiner erreichbar.',
  pieces_nobody_has: 'Einige der fehlenden Teile hat kein verbundener Peer.',
  nothing_offered: 'Kein verbundener Peer hat eines der fehlenden Teile.',
  all_choke: 'Jeder Peer, der fehlende Teile hat, bedient zuerst andere (choked).',
  peers_silent: 'Teile sind angefordert, aber noch hat kein Peer welche gesendet.',
  makes_way: 'Er macht Platz: Ein Film, der gerade läuft, braucht die Bandbreite.',
  rate_limited: 'Eine Geschwindigkeitsgrenze bremst ihn.',
  nobody_interested: 'Seedet; kein verbundener Peer braucht Daten.',
}
