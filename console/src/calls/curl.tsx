import { use, useEffect, useState } from 'react'
import { Code } from '../design/code.tsx'
import type { Call } from '../service/signet.ts'
import { SessionContext } from '../session/session.ts'
import styles from './curl.module.css'
import { type RecordedRequest, recordRequests } from './recorded-request.ts'
import { toCurl } from './to-curl.ts'

type CurlProps = {
  call: Call
  /** Members of the body that the command reads from a variable of the shell. */
  secrets?: readonly string[]
}

/**
 * The command that sends what the form sends: the very call of the form, made with a client that sends nothing. Nothing without
 * a session: who has no key has no use for it.
 */
export function EquivalentCurl({ call, secrets }: CurlProps) {
  const session = use(SessionContext)
  const [isOpen, setOpen] = useState(false)
  const requests = useRecorded(call, isOpen)
  if (!session) return null
  const commands = requests.map((request) => toCurl(request, session.organization_id, secrets))
  return (
    <details className={styles.curl} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>Show as curl</summary>
      {commands.length > 0 && <Code text={commands.join('\n\n')} label="curl" />}
    </details>
  )
}

function useRecorded(call: Call, isWanted: boolean): RecordedRequest[] {
  const [requests, setRequests] = useState<RecordedRequest[]>([])
  useEffect(() => {
    if (!isWanted) return undefined
    let isCurrent = true
    recordRequests(call).then((recorded) => isCurrent && setRequests(recorded))
    return () => {
      isCurrent = false
    }
  }, [call, isWanted])
  return requests
}
