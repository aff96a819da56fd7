import type { Credential, TestSignIn as Test } from '@signet/management'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '../design/button.tsx'
import { Panel, Stack } from '../design/page.tsx'
import { Failure, Loaded, Notice } from '../design/state.tsx'
import { Soft } from '../design/text.tsx'
import { Time } from '../design/time.tsx'
import { providerInWords } from '../providers/providers.ts'
import { signet } from '../service/signet.ts'
import { useIsAdmin, useIsSupport } from '../session/session.ts'
import { TestClaims } from './test-claims.tsx'
import { TestSteps } from './test-steps.tsx'

type Begun = { id: string; url: string }

/** A sign-in that signs nobody in, and says which field is wrong. */
export function TestSignIn({ credential }: { credential: Credential }) {
  const isSupport = useIsSupport()
  const mayTest = useIsAdmin() || isSupport
  const [begun, setBegun] = useState<Begun>()
  const create = useMutation({
    mutationFn: () => signet.createTestSignIn({ path: { oauth_client_id: credential.client_id } }),
    onSuccess: ({ result }) => {
      setBegun(result)
      window.open(result.url, '_blank', 'noopener')
    },
  })
  const button = (
    <Button tone="primary" icon="play" busy={create.isPending} disabled={!mayTest} onClick={() => create.mutate()}>
      {begun ? 'Test again' : 'Test sign-in'}
    </Button>
  )
  return (
    <Panel
      title="Test sign-in"
      description={`Sign in at ${providerInWords(credential.provider)} in a window of its own: Signet checks every step and names the field that is wrong. Nobody is signed in by it, and no person, session or event comes of it.`}
      actions={button}
    >
      <Stack>
        {!mayTest && <Soft>Only admin keys, owners and support test a credential.</Soft>}
        {create.isError && <Failure error={create.error} />}
        {begun ? (
          <Progress key={begun.id} credential={credential} begun={begun} />
        ) : (
          mayTest && <Soft>No test has been made here yet.</Soft>
        )}
      </Stack>
    </Panel>
  )
}

const pollMs = 1_500

function Progress({ credential, begun: { id, url } }: { credential: Credential; begun: Begun }) {
  const test = useTest(credential.client_id, id)
  return (
    <Loaded query={test}>
      {(test) => (
        <Stack>
          {isUnopened(test) && <OpenedElsewhere url={url} />}
          <TestSteps steps={test.steps} hasEnded={test.status !== 'pending'} />
          <Outcome test={test} />
          {test.claims && <TestClaims claims={test.claims} />}
        </Stack>
      )}
    </Loaded>
  )
}

/** The claims are shown to one answer alone: later ones keep them. */
function useTest(clientId: string, id: string) {
  const client = useQueryClient()
  const queryKey = ['getTestSignIn', clientId, id]
  return useQuery({
    queryKey,
    queryFn: async ({ signal }) => {
      const { result } = await signet.getTestSignIn({ path: { oauth_client_id: clientId, id }, signal })
      return { ...result, claims: result.claims ?? client.getQueryData<Test>(queryKey)?.claims }
    },
    refetchInterval: ({ state }) => (state.data?.status === 'pending' ? pollMs : false),
    staleTime: 'static',
    gcTime: 0,
  })
}

const isUnopened = ({ status, steps }: Test) =>
  status === 'pending' && steps.every((step) => step.status === 'pending' && !step.message)

const OpenedElsewhere = ({ url }: { url: string }) => (
  <Notice
    title="Waiting for the window in which you sign in."
    action={
      <a href={url} target="_blank" rel="noopener noreferrer">
        Open it
      </a>
    }
  >
    If the browser did not open it, open it here. It can be opened once, within 15 minutes.
  </Notice>
)

function Outcome({ test: { status, expires_at } }: { test: Test }) {
  return (
    <div role="status">
      <Stack>
        {status === 'ok' && <Notice tone="good" title="The credential works." />}
        {status === 'failed' && <Notice tone="bad" title="The sign-in would fail at the step that is marked." />}
        {status !== 'pending' && (
          <p>
            <Soft>
              Signet forgets this test at <Time at={expires_at} />
            </Soft>
          </p>
        )}
      </Stack>
    </div>
  )
}
