// Which files may be played, told from their names alone. Pure.

/** Names of files that browsers may play. */
export const MEDIA = /\.(mp4|m4v|webm|mkv|mov|ogv|ogg|oga|opus|mp3|m4a|aac|flac|wav|avi|ts)$/i

/** Names of files that no player plays: a torrent of one file has that file's name. */
export const NO_MEDIA = /\.(iso|img|bin|pbf|zip|rar|7z|tar|gz|xz|bz2|zst|exe|msi|dmg|deb|rpm|apk|pdf|epub|mobi)$/i
