// What is announced in a network, as a program that does nothing but listen to the group of SSDP hears it.

/** Its source, in Python; argument: the address of its host. It writes a line for each announcement. */
export const SSDP_EAR = `import socket, sys
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
s.bind(('239.255.255.250', 1900))
s.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP,
  socket.inet_aton('239.255.255.250') + socket.inet_aton(sys.argv[1]))
print('hears', flush=True)
while True:
  data, (ip, port) = s.recvfrom(4096)
  first, *lines = data.decode('latin1').split('\\r\\n')
  fields = dict(line.split(': ', 1) for line in lines if ': ' in line)
  if first == 'NOTIFY * HTTP/1.1': print(ip, fields['NTS'], fields['USN'], flush=True)
`

/** Of what an address said in such lines that it is there or goes: unique names, each once, in order. */
export function announcedIn(text: string, ip: string, kind: 'alive' | 'byebye'): string[] {
  const begins = `${ip} ssdp:${kind} `
  const lines = text.split('\n').filter(line => line.startsWith(begins))
  return [...new Set(lines.map(line => line.slice(begins.length)))].toSorted()
}
