import { useEffect, useState } from 'react'
import { toCurl } from '../service/curl.ts'
import { type RecordedRequest, recordRequest } from '../service/recorded-request.ts'
import type { Call } from '../service/signet.ts'
import { useSession } from '../session/session.ts'
import { Code } from './code.tsx'
import styles from './curl.module.css'

type CurlProps = {
  call: Call
  /** Members of the body that the command reads from a variable of the shell. */
  secrets?: readonly string[]
}

/** The command that sends what the form sends: the very call of the form, made with a client that sends nothing. */
export function EquivalentCurl({ call, secrets }: CurlProps) {
  const { organization_id } = useSession()
  const [isOpen, setOpen] = useState(false)
  const request = useRecorded(call, isOpen)
  return (
    <details className={styles.curl} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>Show as curl</summary>
      {request && <Code text={toCurl(request, organization_id, secrets)} label="curl" />}
    </details>
  )
}

function useRecorded(call: Call, isWanted: boolean): RecordedRequest | undefined {
  const [request, setRequest] = useState<RecordedRequest>()
  useEffect(() => {
    if (!isWanted) return undefined
    let isCurrent = true
    recordRequest(call).then((recorded) => isCurrent && setRequest(recorded))
    return () => {
      isCurrent = false
    }
  }, [call, isWanted])
  return request
}
