// Debian's nginx serving a folder, as a web seed of a test. What it was asked is read from its log.

import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { startDaemon } from '../nodes/daemon-process.ts'
import { waitFor } from '../wait-for.ts'

/** One request as nginx noted it. */
export interface SeenRequest {
  /** Number of the connection. */
  readonly connection: string
  readonly status: number
  readonly path: string
  /** The Range field; '' = none. */
  readonly range: string
  /** Bytes of the body. */
  readonly sent: number
}

export interface NginxServer {
  readonly url: string
  /** Every request that has ended, oldest first. */
  requests(): Promise<SeenRequest[]>
  stop(): Promise<void>
}

/** Serves `root` at `ip`, with `home` for its own files. */
export async function startNginx(ip: string, root: string, home: string): Promise<NginxServer> {
  await mkdir(home, { recursive: true })
  const port = await freePort(ip)
  await writeFile(join(home, 'nginx.conf'), configuration(ip, port, root, home))
  const daemon = startDaemon('nginx', ['-p', home, '-c', join(home, 'nginx.conf'), '-e', 'stderr'])
  const url = `http://${ip}:${port}`
  const answers = (): Promise<boolean> => {
    daemon.assertRunning()
    return fetch(`${url}/`).then(
      () => true,
      () => false,
    )
  }
  await waitFor('nginx answers', answers, 10_000, () => daemon.output())
  const skipped = (await seen(home)).length
  return {
    url,
    requests: async () => (await seen(home)).slice(skipped),
    async stop() {
      // The master would leave its worker behind when it is killed.
      daemon.child.kill('SIGTERM')
      await waitFor(
        'nginx ends',
        () => daemon.child.exitCode !== null,
        10_000,
        () => daemon.output(),
      )
    },
  }
}

function configuration(ip: string, port: number, root: string, home: string): string {
  const own = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(name => `${name}_temp_path ${home}/${name};`)
  const user = process.getuid?.() === 0 ? 'user root;' : ''
  return `daemon off; ${user} worker_processes 1; pid ${home}/nginx.pid;
events { worker_connections 256; }
http {
  ${own.join(' ')}
  log_format seen '$connection $status $body_bytes_sent "$http_range" $request_uri';
  access_log ${home}/seen.log seen;
  sendfile on; tcp_nopush on; keepalive_requests 10000;
  server { listen ${ip}:${port}; root "${root}"; location / { autoindex off; } }
}
`
}

async function seen(home: string): Promise<SeenRequest[]> {
  const text = await readFile(join(home, 'seen.log'), 'utf8').catch(() => '')
  return text.split('\n').flatMap(line => {
    const match = /^(\d+) (\d+) (\d+) "([^"]*)" (\S+)$/.exec(line)
    if (match === null) return []
    const [, connection = '', status, sent, range = '', path = ''] = match
    return [{ connection, status: Number(status), sent: Number(sent), range: range === '-' ? '' : range, path }]
  })
}

/** nginx has to be told its port: one that was free a moment ago. */
function freePort(ip: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject)
    server.listen(0, ip, () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0))
    })
  })
}
