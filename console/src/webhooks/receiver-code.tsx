import { useQuery } from '@tanstack/react-query'
import { Code } from '../design/code.tsx'
import { SelectField } from '../design/field.tsx'
import { Panel, Stack } from '../design/page.tsx'
import { withMember } from '../design/pages.tsx'
import { Loaded } from '../design/state.tsx'
import { useSearchParams } from '../router/index.ts'
import { serviceUrl } from '../service/address.ts'
import { readFile } from '../service/answer.ts'
import { useSession } from '../session/session.ts'
import { type Program, programs } from './receiver-programs.ts'
import { startCommand } from './start-command.ts'
import { useWebhook } from './webhook-page.tsx'

/** A whole receiver for this webhook, in five languages. */
export function Component() {
  const [address, setAddress] = useSearchParams()
  const program = programs.find(({ language }) => language === address.get('language')) ?? programs[0]
  return (
    <Panel
      title="A receiver for this webhook"
      description="It verifies the signature with the key set of the organization, makes every check, acts once for each event and answers with 204."
    >
      <Stack>
        <SelectField
          name="language"
          label="Language"
          value={program?.language ?? ''}
          options={programs.map(({ language }) => [language, language])}
          onChange={(language) => setAddress(withMember(address, 'language', language), { replace: true })}
        />
        {program && <Start program={program} />}
        {program?.files.map(({ name, url }) => (
          <File key={name} name={name} url={url} />
        ))}
      </Stack>
    </Panel>
  )
}

function File({ name, url }: Program['files'][number]) {
  const query = useQuery({ queryKey: ['file', url], queryFn: () => readFile(url), staleTime: 'static' })
  return <Loaded query={query}>{(text) => <Code text={text} label={name} />}</Loaded>
}

function Start({ program }: { program: Program }) {
  const { organization_id = '' } = useSession()
  const { target_url } = useWebhook()
  const values = { SIGNET: serviceUrl, ORG: organization_id, TARGET_URL: target_url }
  return (
    <>
      <p>{program.needs}</p>
      <Code text={startCommand(values, program.command)} label="Start it" />
      <p>
        Save the files below in one folder and start it there. SIGNET is the base URL of this Signet, exactly as it is
        set: the receiver compares it with the claim iss, and TARGET_URL with target_url. It listens on 127.0.0.1, with
        the certificate of your host.
      </p>
    </>
  )
}
