// nginx with one worker, serving a folder: what a complete file over HTTP can cost at best.

import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { existsSync } from 'node:fs'
import { untilAnswers } from '../local-http.ts'
import { type OwnedProcess, startOwned } from '../owned-processes.ts'

/** Debian keeps it out of users' paths. */
const program = ['/usr/sbin/nginx', '/usr/bin/nginx'].find(existsSync)
const PORT = 18088

export interface NginxServer extends OwnedProcess {
  /** With a slash at the end. */
  readonly baseUrl: string
}

/** Why it cannot run here; null when it can. */
export function nginxMissing(): string | null {
  return program === undefined ? 'not on this machine: nginx' : null
}

/** tcp_nopush stays off: with it, ranges of 64 KiB on one connection stall for 40 ms now and then. */
function configuration(home: string, root: string, ip: string): string {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map(each => `${each}_temp_path ${home}/${each};`)
    .join('\n')
  return `daemon off; worker_processes 1; user root; pid ${home}/nginx.pid; error_log ${home}/errors;
events { worker_connections 512; }
http {
  access_log off; sendfile on; tcp_nopush off; tcp_nodelay on; keepalive_requests 1000000000;
  default_type application/octet-stream;
  ${temporary}
  server { listen ${ip}:${PORT}; root ${root}; }
}
`
}

/** Serves the files of `root`. */
export async function startNginx(home: string, root: string, ip: string): Promise<NginxServer> {
  if (program === undefined) throw new Error('nginx is missing')
  await mkdir(home, { recursive: true })
  const file = join(home, 'nginx.conf')
  await writeFile(file, configuration(home, root, ip))
  const server = startOwned(program, ['-p', home, '-e', join(home, 'errors'), '-c', file])
  const baseUrl = `http://${ip}:${PORT}/`
  await untilAnswers(baseUrl, () => server.assertRunning())
  return { ...server, baseUrl }
}
