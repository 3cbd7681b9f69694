// The same in German.

import type { Translation } from '../../language/texts.ts'
import type { FindingTexts } from './findings.ts'

/** Texts by their keys. */
export const german: Translation<FindingTexts> = {
  role_state: 'Zustandsordner',
  role_downloads: 'Download-Ordner',
  role_watched: 'überwachte Ordner',
  not_examined: 'Die Prüfung kam nicht zum Ende: {{error}}.',
  not_examined_advice: 'Starten Sie `tributary doctor` auf dem Rechner des Knotens.',
  program_alone: 'Tributary {{version}} mit Node {{node}}. Hier läuft kein Knoten: {{path}}',
  program_beside: 'Tributary {{version}} mit Node {{node}}. Hier läuft ein Knoten (Prozess {{process}}): {{path}}',
  module_missing: 'Das Modul {{module}} lässt sich nicht laden: {{error}}.',
  module_missing_advice: 'Installieren Sie das Programm neu, für diese Node-Version und diesen Rechner (npm ci).',
  settings_ok: 'Die Einstellungen sind brauchbar ({{path}}).',
  settings_line: 'Eine Zeile der Einstellungen gilt nicht: {{words}}',
  settings_line_advice: 'Entfernen oder berichtigen Sie diese Zeile.',
  settings_unsafe: 'Mit diesen Einstellungen startet der Knoten nicht: {{words}}',
  settings_unsafe_advice:
    'Setzen Sie einen Schlüssel (oder entfernen Sie seine Zeile, dann wird einer erzeugt), oder berichtigen Sie den Abschnitt api.',
  settings_unusable: 'Die Einstellungen sind nicht brauchbar: {{error}}',
  settings_unusable_advice: 'Berichtigen Sie das, als dieser Benutzer ({{user}}) oder mit dem Recht dazu.',
  settings_readable: 'Andere Benutzer können die Konfigurationsdatei {{path}} lesen, in der der Schlüssel steht.',
  settings_readable_advice: 'chmod 600 {{path}}',
  folder_is_none: 'Der {{role}} {{path}} ist kein Ordner.',
  folder_is_none_advice: 'Setzen Sie {{setting}} auf einen Ordner.',
  folder_read_only:
    'Der {{role}} {{path}} liegt auf einem Dateisystem, das nur gelesen werden kann ({{type}} auf {{mount}}).',
  folder_read_only_advice: 'Hängen Sie es beschreibbar ein, oder setzen Sie {{setting}} auf einen anderen Ordner.',
  folder_open_to_others:
    'Andere Benutzer dieses Rechners können den Ordner betreten: {{role}} {{path}}. Die Dateien mit Schlüsseln darin sind für sie geschlossen.',
  folder_open_to_others_advice: 'chmod 700 {{path}} (nicht, wenn andere die Downloads darin lesen sollen).',
  folder_missing: 'Der {{role}} {{path}} ist nicht da.',
  folder_missing_advice: 'Legen Sie ihn an, hängen Sie ein, was dorthin gehört, oder ändern Sie {{setting}}.',
  folder_to_be_made: 'Der {{role}} {{path}} wird angelegt.',
  folder_not_made: 'Der {{role}} {{path}} ist nicht da und lässt sich nicht anlegen: {{above}}: {{error}}.',
  folder_not_made_advice:
    'Geben Sie diesem Benutzer ({{user}}) Schreibrecht für {{above}}, oder ändern Sie {{setting}}.',
  folder_writable: 'Der {{role}} {{path}} ist beschreibbar.',
  folder_not_writable: 'Der {{role}} {{path}} ist nicht beschreibbar: {{error}}.',
  folder_not_writable_advice: 'Geben Sie diesem Benutzer ({{user}}) dort Schreibrecht, oder ändern Sie {{setting}}.',
  folder_full: 'Der {{role}} {{path}} ist nicht beschreibbar: {{error}}.',
  folder_full_advice: 'Schaffen Sie Platz auf dem Datenträger, oder erhöhen Sie das Kontingent.',
  watched_not_writable: 'Der {{role}} {{path}} ist nicht beschreibbar: {{error}}.',
  watched_not_writable_advice:
    'Unlesbare Dateien bleiben dort liegen. Geben Sie diesem Benutzer ({{user}}) dort Schreibrecht, oder ändern Sie {{setting}}.',
  watched_full: 'Der {{role}} {{path}} ist nicht beschreibbar: {{error}}.',
  watched_full_advice:
    'Unlesbare Dateien bleiben dort liegen. Schaffen Sie Platz auf dem Datenträger, oder erhöhen Sie das Kontingent.',
  room: '{{free}} MiB sind frei: {{role}} {{path}}.',
  room_little: 'Nur {{free}} MiB sind frei: {{role}} {{path}}.',
  room_little_advice: 'Schaffen Sie Platz.',
  room_below_setting: 'Nur {{free}} MiB sind frei: {{role}} {{path}}.',
  room_below_setting_advice:
    'disk.min_free_bytes verlangt {{wanted}} MiB. Schaffen Sie Platz, oder senken Sie den Wert.',
  room_no_inodes: 'Der Datenträger hat keine freien Inodes: {{role}} {{path}}.',
  room_no_inodes_advice: 'Löschen Sie dort Dateien.',
  state_on_network:
    'Der {{role}} {{path}} liegt auf einem Netzwerk-Dateisystem ({{type}} auf {{mount}}); dort gehen Datenbanken kaputt.',
  state_on_network_advice:
    'Legen Sie ihn auf einen Datenträger dieses Rechners (--state-dir); nur Downloads dürfen woanders liegen.',
  folder_small_files: 'Der {{role}} {{path}} liegt auf {{type}}: Keine Datei dort kann 4 GiB groß werden.',
  folder_small_files_advice: 'Nehmen Sie ein anderes Dateisystem, etwa ext4 oder exfat.',
  database_none: 'Es gibt noch keine Datenbank; der erste Start legt sie an.',
  database_missing: 'Die Datenbank {{path}} fehlt, obwohl dieser Knoten sie angelegt hat.',
  database_missing_advice: 'Spielen Sie eine Kopie ein, oder entfernen Sie {{note}} daneben, um leer anzufangen.',
  database_emptied: 'Die Datenbank {{path}} ist leer, obwohl dieser Knoten sie angelegt hat.',
  database_emptied_advice: 'Spielen Sie eine Kopie ein, oder entfernen Sie {{note}} daneben, um leer anzufangen.',
  database_unreachable: 'Die Datenbank {{path}} ist nicht erreichbar: {{error}}.',
  database_unreachable_advice: 'Geben Sie diesem Benutzer ({{user}}) das Recht dazu.',
  database_no_file: '{{path}} ist keine Datei.',
  database_no_file_advice: 'Verschieben Sie das, was dort liegt.',
  database_empty: 'Die Datenbank ist leer; der nächste Start füllt sie.',
  database_foreign: 'Die Datei {{path}} ist die Datenbank eines anderen Programms.',
  database_foreign_advice: 'Verschieben Sie sie.',
  database_newer:
    'Die Datenbank {{path}} hat das Schema {{schema}} einer neueren Version; diese kennt höchstens {{known}}.',
  database_newer_advice:
    'Installieren Sie wieder die neuere Version, oder spielen Sie die Kopie ein, die vor der Umstellung gemacht wurde (tributary.db.schema-*).',
  database_damaged: 'Die Datenbank {{path}} ist beschädigt: {{error}}.',
  database_damaged_advice:
    'Halten Sie den Knoten an. Spielen Sie dann eine Kopie ein, oder verschieben Sie die Datei und ihre Notiz (.made), um leer anzufangen: Downloads müssen dann neu hinzugefügt werden, ihre Dateien bleiben.',
  database_ok: 'Die Datenbank ist in Ordnung (Schema {{schema}}).',
  database_older:
    'Die Datenbank ist in Ordnung (Schema {{schema}}). Der nächste Start stellt sie auf {{known}} um, nach einer Kopie.',
  database_locked: 'Ein anderes Programm sperrt die Datenbank {{path}}.',
  database_locked_advice: 'Beenden Sie, was sie geöffnet hat: eine laufende Sicherung, ein Datenbank-Programm.',
  database_locked_by: 'Die Datenbank {{path}} ist von Prozess {{process}} gesperrt.',
  database_locked_by_advice: 'Beenden Sie, was sie geöffnet hat: eine laufende Sicherung, ein Datenbank-Programm.',
  database_not_opened: 'Die Datenbank {{path}} ist nicht lesbar: {{error}}.',
  database_not_opened_advice:
    'Sehen Sie nach, was hier über ihren Ordner steht; dieser Benutzer ({{user}}) muss dort schreiben dürfen.',
  database_unreadable: 'Die Datenbank {{path}} ist nicht lesbar: {{error}}.',
  database_unreadable_advice: 'Versuchen Sie es noch einmal; bleibt es dabei, hilft das Protokoll des Knotens.',
  clock_ok: 'Die Uhr zeigt {{time}}.',
  clock_wrong: 'Die Uhr dieses Rechners geht falsch: Sie zeigt {{time}}.',
  clock_wrong_advice: 'Stellen Sie sie, und lassen Sie sie richtig halten (systemd-timesyncd, chrony).',
  clock_set_back:
    'Die Uhr zeigt {{time}}, aber der Knoten hat etwas um {{written}} geschrieben: Sie wurde zurückgestellt.',
  clock_set_back_advice: 'Stellen Sie sie, und lassen Sie sie richtig halten (systemd-timesyncd, chrony).',
  certificate_ok: 'Das Zertifikat {{path}} gilt bis {{time}}.',
  certificate_soon_over: 'Das Zertifikat {{path}} gilt nur noch bis {{time}}.',
  certificate_soon_over_advice: 'Erneuern Sie es; ein laufender Knoten nimmt das neue von selbst.',
  certificate_over: 'Das Zertifikat {{path}} ist seit {{time}} abgelaufen.',
  certificate_over_advice: 'Erneuern Sie es; ein laufender Knoten nimmt das neue von selbst.',
  certificate_unusable: 'Das Zertifikat ist nicht brauchbar: {{error}}',
  certificate_unusable_advice:
    'Setzen Sie api.https_certfile und api.https_keyfile auf PEM-Dateien, die zusammengehören, oder api.https_enabled auf false.',
  port_free: '{{protocol}}-Port {{port}} auf {{host}} ({{setting}}) ist frei.',
  port_taken: '{{protocol}}-Port {{port}} auf {{host}} ({{setting}}) ist belegt.',
  port_taken_advice: 'Beenden Sie das Programm, das ihn hat, oder setzen Sie {{setting}} auf einen anderen Port.',
  port_taken_by: '{{protocol}}-Port {{port}} auf {{host}} ({{setting}}) ist belegt von {{holder}}.',
  port_taken_by_advice: 'Beenden Sie dieses Programm, oder setzen Sie {{setting}} auf einen anderen Port.',
  port_forbidden: '{{protocol}}-Port {{port}} auf {{host}} ({{setting}}): Dieser Benutzer darf ihn nicht verwenden.',
  port_forbidden_advice: 'Setzen Sie {{setting}} auf einen Port ab 1024.',
  port_no_address: '{{protocol}}-Port {{port}} auf {{host}} ({{setting}}): Dieser Rechner hat keine solche Adresse.',
  port_no_address_advice: 'Nehmen Sie eine Adresse, die `ip address` zeigt, oder 127.0.0.1.',
  port_failed: '{{protocol}}-Port {{port}} auf {{host}} ({{setting}}) ist nicht zu haben: {{error}}.',
  port_failed_advice: 'Setzen Sie {{setting}} auf einen anderen Port.',
  node_answers: 'Der laufende Knoten (Prozess {{process}}) antwortet unter {{url}}.',
  node_silent: 'Der laufende Knoten (Prozess {{process}}) antwortet nicht unter {{url}}: {{error}}.',
  node_silent_advice: 'Vielleicht hängt er: Sehen Sie in sein Protokoll, und starten Sie ihn neu.',
  node_not_asked:
    'Der laufende Knoten (Prozess {{process}}) wird nicht gefragt: Seine erste Ausgabezeile nennt seine Adresse.',
  interface_missing:
    'Dieser Rechner hat gerade keine Adresse und kein Gerät {{name}} (libtorrent.interface); nichts geht darüber hinaus.',
  interface_missing_advice: 'Starten Sie den Tunnel oder das Netz, zu dem es gehört, oder ändern Sie die Einstellung.',
  hash_chosen: 'Teile werden geprüft mit: {{means}}.',
  hash_of_node: 'Teile werden mit dem Hash von Node geprüft.',
  hash_slow: 'Teile werden mit dem Hash von Node geprüft, um ein Mehrfaches langsamer: {{cause}}.',
  hash_not_as_set: 'Teile werden mit dem Hash von Node geprüft, um ein Mehrfaches langsamer: {{cause}}.',
  hash_not_as_set_advice: 'Setzen Sie disk.hash auf auto.',
  files_unknown: 'Wie viele Dateien offen sein dürfen, ist auf diesem System nicht bekannt.',
  files_ok: '{{limit}} Dateien dürfen offen sein; die Einstellungen brauchen {{needed}}.',
  files_ok_now: '{{limit}} Dateien dürfen offen sein; die Einstellungen brauchen {{needed}}, offen sind {{open}}.',
  files_too_few: 'Nur {{limit}} Dateien dürfen offen sein; die Einstellungen brauchen {{needed}}.',
  files_too_few_advice:
    'Erhöhen Sie die Grenze (ulimit -n {{needed}}; LimitNOFILE={{needed}} bei systemd; --ulimit nofile={{needed}} bei Containern), oder senken Sie libtorrent.max_connections oder disk.open_files.',
  files_held:
    'Nur {{limit}} Dateien dürfen offen sein; die Einstellungen brauchen {{needed}}: max_connections wird auf {{peers}} gehalten, open_files auf {{files}}, Clients der Schnittstelle auf {{clients}}.',
  files_held_advice:
    'Erhöhen Sie die Grenze (ulimit -n {{needed}}; LimitNOFILE={{needed}} bei systemd; --ulimit nofile={{needed}} bei Containern), oder senken Sie libtorrent.max_connections oder disk.open_files.',
  files_nearly: 'Der laufende Knoten hat {{open}} von höchstens {{limit}} Dateien offen.',
  files_nearly_advice:
    'Erhöhen Sie die Grenze (ulimit -n {{needed}}; LimitNOFILE={{needed}} bei systemd; --ulimit nofile={{needed}} bei Containern), oder senken Sie libtorrent.max_connections oder disk.open_files.',
  overlay_off: 'Anonyme Downloads sind aus ({{setting}}).',
  overlay_port_random: 'Die Overlays bekommen beim Start einen zufälligen UDP-Port ({{setting}}).',
  overlay_port_free: '{{protocol}}-Port {{port}} auf {{host}} ({{setting}}) ist frei.',
  overlay_port_taken:
    '{{protocol}}-Port {{port}} auf {{host}} ({{setting}}) ist belegt. Die Overlays nehmen beim Start einen anderen freien Port.',
  overlay_port_taken_advice:
    'Beenden Sie das Programm, das ihn hat, oder setzen Sie {{setting}} auf einen anderen Port.',
  overlay_port_taken_by:
    '{{protocol}}-Port {{port}} auf {{host}} ({{setting}}) ist belegt von {{holder}}. Die Overlays nehmen beim Start einen anderen freien Port.',
  overlay_port_taken_by_advice: 'Beenden Sie dieses Programm, oder setzen Sie {{setting}} auf einen anderen Port.',
  overlay_port_forbidden:
    '{{protocol}}-Port {{port}} auf {{host}} ({{setting}}): Dieser Benutzer darf ihn nicht verwenden. Die Overlays nehmen beim Start einen anderen freien Port.',
  overlay_port_forbidden_advice: 'Setzen Sie {{setting}} auf einen Port ab 1024.',
  overlay_port_no_address:
    '{{protocol}}-Port {{port}} auf {{host}} ({{setting}}): Dieser Rechner hat keine solche Adresse. Anonyme Downloads können nicht beginnen.',
  overlay_port_no_address_advice: 'Nehmen Sie eine Adresse, die `ip address` zeigt, oder 127.0.0.1.',
  overlay_port_failed:
    '{{protocol}}-Port {{port}} auf {{host}} ({{setting}}) ist nicht zu haben: {{error}}. Anonyme Downloads können nicht beginnen.',
  overlay_port_failed_advice: 'Setzen Sie {{setting}} auf einen anderen Port.',
  overlay_fast: 'Circuits werden mit sodium-native verschlüsselt.',
  overlay_slow: 'Das Modul sodium-native lässt sich nicht laden: Circuits werden langsamer verschlüsselt.',
  overlay_slow_advice:
    'Installieren Sie das Programm neu, mit den wahlweisen Paketen, für diese Node-Version und diesen Rechner (npm ci).',
  ffmpeg_none: 'Kein ffmpeg ist genannt (media.ffmpeg): DTS, Xvid, AV1 und Ähnliches werden nicht umgewandelt.',
  ffmpeg_unusable: 'Das Programm in media.ffmpeg ist nicht brauchbar: {{error}}.',
  ffmpeg_unusable_advice: 'Installieren Sie ffmpeg, oder berichtigen Sie die Einstellung.',
  ffmpeg_fenced:
    '{{path}} (Version {{version}}) wandelt Filme um, wie dieser Befehl es ausführt: mit Grenzen für Speicher und Zeit und einem eigenen Netz; hat der Knoten selbst weniger, steht es in seinem Protokoll.',
  ffmpeg_on_network:
    '{{path}} (Version {{version}}) wandelt Filme um, wie dieser Befehl es ausführt: mit Grenzen für Speicher und Zeit und dem Netz dieses Systems; hat der Knoten selbst weniger, steht es in seinem Protokoll.',
  ffmpeg_on_network_advice:
    'Erlauben Sie gewöhnlichen Benutzern Namensräume (sysctl user.max_user_namespaces), mit unshare aus util-linux.',
  ffmpeg_no_encoder: 'Ihm fehlt der Encoder {{encoders}}.',
  ffmpeg_no_encoder_advice: 'Installieren Sie ein ffmpeg, das ihn hat (Debian: ffmpeg).',
  ffmpeg_writable:
    'Der Benutzer dieses Befehls darf {{path}} schreiben: Was der Knoten als dieser Benutzer dorthin lädt, könnte das Programm ersetzen und würde ausgeführt.',
  ffmpeg_writable_advice:
    'Lassen Sie root das Programm und seinen Ordner besitzen, oder nennen Sie eines des Systems (/usr/bin/ffmpeg).',
}
