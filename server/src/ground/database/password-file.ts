import { readNamed } from './connection-tls.ts'

type Place = { host: string; port: number; database: string | undefined; user: string | undefined }

/** The password of the first line that fits (libpq, 34.16): `host:port:database:user:password`, `*` for any, `\` before `:` and `\`. */
export function passwordIn(path: string, { host, port, database, user }: Place): string {
  const wanted = [host, `${port}`, database ?? user ?? '', user ?? '']
  for (const line of readNamed('passfile', path).split(/\r?\n/)) {
    if (line.startsWith('#')) continue
    const fields = fieldsOf(line)
    const password = fields[wanted.length]
    const fits = wanted.every((each, index) => fields[index] === '*' || fields[index] === each)
    if (fits && password) return password
  }
  throw new Error('passfile has no line for this host, port, database and user')
}

const fieldsOf = (line: string): string[] =>
  Array.from(line.matchAll(/((?:[^:\\]|\\.)*)(?::|$)/g), ([, field = '']) => field.replace(/\\(.)/g, '$1'))
