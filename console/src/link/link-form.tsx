import type { OpenedCredentialLink } from '@signet/management'
import { useCallback, useState } from 'react'
import { Form } from '../calls/form.tsx'
import { Panel } from '../design/page.tsx'
import { ShortText } from '../design/text.tsx'
import { CallbackUrl } from '../providers/callback-url.tsx'
import { ClientFields } from '../providers/client-fields.tsx'
import { OptionFields } from '../providers/option-fields.tsx'
import { type Options, optionFields, readOptions, toOptions } from '../providers/options.ts'
import { ProviderMark } from '../providers/provider-mark.tsx'
import { ProviderSteps } from '../providers/provider-steps.tsx'
import { providerInWords, providers } from '../providers/providers.ts'
import { sendThroughLink } from '../providers/send-through-link.ts'
import type { Call } from '../service/signet.ts'
import { isClosedBy } from './is-closed-by.ts'
import styles from './link-frame.module.css'
import { LinkFrame } from './link-frame.tsx'

type LinkFormProps = {
  token: string
  link: OpenedCredentialLink
  onSent: () => void
  /** It was used, deleted or has expired since it was opened. */
  onClosed: () => void
}

/** What to register at the provider, then what it gave. */
export function LinkForm({ token, link, onSent, onClosed }: LinkFormProps) {
  const { name } = providers[link.provider]
  const inWords = providerInWords(link.provider)
  const title = `Sign-in with ${name} for ${link.organization_name}`
  const heading = (
    <span className={styles.heading}>
      <ProviderMark provider={link.provider} size={34} />
      <span>
        Sign-in with {name} for <ShortText>{link.organization_name}</ShortText>
      </span>
    </span>
  )
  const lead = (
    <>
      Register a client at {inWords}, and enter here what you get there
      {link.label && (
        <>
          , for <ShortText>{link.label}</ShortText>
        </>
      )}
      . Nobody signs in with it before <ShortText>{link.organization_name}</ShortText> has confirmed it.
    </>
  )
  return (
    <LinkFrame title={title} heading={heading} lead={lead}>
      <Panel
        title="1. Copy the callback URL"
        description={`The redirect URI to register at ${inWords}, exactly as it stands here.`}
      >
        <CallbackUrl url={link.callback_url} />
      </Panel>
      <Panel title={`2. Register a client at ${inWords}`}>
        <ProviderSteps provider={link.provider} />
      </Panel>
      <Panel title="3. Enter what you got">
        <CredentialFields token={token} link={link} onSent={onSent} onClosed={onClosed} />
      </Panel>
    </LinkFrame>
  )
}

type Fields = { clientId: string; clientSecret: string; options: Options }

function CredentialFields({ token, link: { provider, options }, onSent, onClosed }: LinkFormProps) {
  const [fields, setFields] = useState<Fields>({
    clientId: '',
    clientSecret: '',
    options: readOptions(provider, options),
  })
  const change = (changed: Partial<Fields>) => setFields((before) => ({ ...before, ...changed }))
  const call: Call = useCallback(
    async (signet) => {
      const client = { client_id: fields.clientId.trim(), client_secret: fields.clientSecret.trim() }
      const body = { token, ...client, options: toOptions(provider, fields.options) }
      return sendThroughLink(body)(signet).catch((error) => {
        if (isClosedBy(error)) onClosed()
        throw error
      })
    },
    [token, provider, fields, onClosed],
  )
  return (
    <Form fields={['client_id', 'client_secret', ...optionFields(provider)]} call={call} submit="Send" onSaved={onSent}>
      <ClientFields
        provider={provider}
        clientId={fields.clientId}
        clientSecret={fields.clientSecret}
        onClientId={(clientId) => change({ clientId })}
        onClientSecret={(clientSecret) => change({ clientSecret })}
      />
      <OptionFields provider={provider} options={fields.options} onChange={(options) => change({ options })} />
    </Form>
  )
}
