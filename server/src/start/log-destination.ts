import { styleText } from 'node:util'
import { destination } from 'pino'

const names: Record<number, string> = { 10: 'trace', 20: 'debug', 30: 'info', 40: 'warning', 50: 'error', 60: 'fatal' }
/** Fields of every line that are useless at a terminal, or shown otherwise. */
const omitted = ['level', 'time', 'pid', 'hostname', 'msg']

/** Plain lines at a terminal, JSON elsewhere. */
export const logDestination = () =>
  process.stdout.isTTY ? { write: (line: string) => void process.stdout.write(plainLine(line)) } : destination(1)

/** `09:41:00 warning delivery attempt failed  webhook_id=…`. Empty for the address, which the first lines show. */
export function plainLine(line: string): string {
  const { level, time, msg, err, ...others } = JSON.parse(line)
  if (msg?.startsWith('Server listening at ')) return ''
  const name = names[level] ?? String(level)
  const fields = Object.entries(others).filter(([key]) => !omitted.includes(key))
  const details = fields.map(([key, value]) => `${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
  const text = printable([msg ?? '', ...details].join(' '))
  const start = `${new Date(time).toTimeString().slice(0, 8)} ${level >= 40 ? styleText('yellow', name) : name}`
  const stack = err
    ? String(err.stack ?? err.message)
        .split('\n')
        .map((each) => `\n  ${printable(each)}`)
    : []
  return `${start} ${text}${stack.join('')}\n`
}

/** Text from elsewhere must not move the cursor or begin a line. */
const printable = (text: string) => text.replace(/\p{Cc}/gu, '\ufffd')
