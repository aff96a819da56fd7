import type { LinkedDirectoryToken, OpenedDirectoryLink } from '@signet/management'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { Form } from '../calls/form.tsx'
import { Code } from '../design/code.tsx'
import { Panel, Stack } from '../design/page.tsx'
import { Notice } from '../design/state.tsx'
import { ShortText } from '../design/text.tsx'
import { isClosedBy } from '../link/is-closed-by.ts'
import { ClosedLink } from '../link/link-end.tsx'
import { LinkFrame } from '../link/link-frame.tsx'
import { NotOpened } from '../link/not-opened.tsx'
import { useLinkToken } from '../link/use-link-token.ts'
import { type Call, signet } from '../service/signet.ts'
import { ConnectSteps } from './connect-steps.tsx'

/** For the administrator of a customer, who has no key: makes the token of one directory, and sees nothing of the console. */
export function Component() {
  const token = useLinkToken('Connect a directory')
  return <Opening key={token} token={token} />
}

function Opening({ token }: { token: string }) {
  const [isClosed, setClosed] = useState(false)
  const link = useQuery({
    queryKey: ['openDirectoryLink', token],
    queryFn: ({ signal }) => signet.openDirectoryLink({ body: { token }, signal }),
    select: ({ result }) => result,
    enabled: token !== '',
    // Every try that fails counts, and a link that was used does not open.
    retry: false,
    staleTime: 'static',
  })
  if (token === '' || isClosed || isClosedBy(link.error)) return <ClosedLink />
  if (link.data) return <OpenLink token={token} link={link.data} onClosed={() => setClosed(true)} />
  if (link.isError) return <NotOpened error={link.error} retry={link.refetch} />
  return (
    <LinkFrame title="Opening the link…">
      <p role="status">It takes a moment.</p>
    </LinkFrame>
  )
}

type OpenLinkProps = {
  token: string
  link: OpenedDirectoryLink
  /** It was used, deleted or has expired since it was opened. */
  onClosed: () => void
}

/** What goes into the customer's directory, and where. */
function OpenLink({ token, link, onClosed }: OpenLinkProps) {
  const { organization_name, directory_name, scim_url } = link
  const organization = <ShortText>{organization_name}</ShortText>
  return (
    <LinkFrame
      title={`Connect your directory to ${organization_name}`}
      heading={<>Connect your directory to {organization}</>}
      lead={
        <>
          Your Okta, Microsoft Entra ID or other directory then keeps your people and groups at {organization}, where it
          is called <ShortText>{directory_name}</ShortText>: it makes them, changes them, and switches off who leaves.
        </>
      }
    >
      <Panel title="1. Open the administration of your directory">
        <ConnectSteps scimUrl={scim_url} />
      </Panel>
      <Panel title="2. Copy the SCIM address">
        <Code label="SCIM address" text={scim_url} wrap />
      </Panel>
      <Panel title="3. Make the token, and copy it">
        <Token linkToken={token} organization={organization_name} onClosed={onClosed} />
      </Panel>
    </LinkFrame>
  )
}

type TokenProps = Pick<OpenLinkProps, 'onClosed'> & { linkToken: string; organization: string }

function Token({ linkToken, organization, onClosed }: TokenProps) {
  const [made, setMade] = useState<LinkedDirectoryToken>()
  if (made) return <MadeToken token={made.token} organization={organization} />
  const call: Call<{ result: LinkedDirectoryToken }> = (signet) =>
    makeToken(linkToken)(signet).catch((error) => {
      if (isClosedBy(error)) onClosed()
      throw error
    })
  return (
    <Form fields={[]} call={call} secrets={['token']} submit="Make the token" onSaved={({ result }) => setMade(result)}>
      <p>
        It is shown once, and the link is used up then: make it when you are where you can enter it. It opens nothing
        but this directory, and does not expire.
      </p>
    </Form>
  )
}

/** Uses the link up. */
const makeToken =
  (token: string): Call<{ result: LinkedDirectoryToken }> =>
  (signet) =>
    signet.useDirectoryLink({ body: { token } })

function MadeToken({ token, organization }: { token: string; organization: string }) {
  const words = useRef<HTMLDivElement>(null)
  useEffect(() => words.current?.focus(), [])
  return (
    <Stack>
      <div ref={words} tabIndex={-1} role="status">
        <Notice tone="warn" title="It is shown this once.">
          Signet keeps only a hash of it, and this link is used up: enter the token before you close the page. If it is
          lost, ask <ShortText>{organization}</ShortText> for another link.
        </Notice>
      </div>
      <Code label="Token" text={token} wrap />
    </Stack>
  )
}
