--
-- PostgreSQL database dump
--

\restrict zdK1YxeM5OdZDoNoh1UXMBUWH5vjBPL9thnSvXGolkKlHmBuvwEKuD2cTNH0WSD

-- Dumped from database version 15.18 (Debian 15.18-0+deb12u1)
-- Dumped by pg_dump version 15.18 (Debian 15.18-0+deb12u1)

SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;

--
-- Name: origins_of(text[]); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.origins_of(uris text[]) RETURNS text[]
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN ARRAY(SELECT regexp_replace(lower("substring"(uri.uri, '^https?://[^/?]+'::text)), '^(https://.*):443$|^(http://.*):80$'::text, '\1\2'::text) AS regexp_replace FROM unnest(origins_of.uris) uri(uri));


--
-- Name: priority_in_lane(text); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.priority_in_lane(event_name text) RETURNS integer
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN CASE WHEN (event_name = 'VirtualPageLoaded_v1'::text) THEN 1 ELSE 0 END;


--
-- Name: time_of(uuid); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.time_of(id uuid) RETURNS timestamp with time zone
    LANGUAGE sql IMMUTABLE
    RETURN to_timestamp((((((('x'::text || translate("left"((id)::text, 13), '-'::text, ''::text)))::bit(48))::bigint)::numeric / 1000.0))::double precision);


SET default_tablespace = '';

SET default_table_access_method = heap;

--
-- Name: test_event_allowances; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.test_event_allowances (
    org_id uuid NOT NULL,
    tokens double precision NOT NULL,
    refilled_at timestamp with time zone NOT NULL
);


--
-- Name: tokens_at(public.test_event_allowances, timestamp with time zone, double precision, double precision); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.tokens_at(a public.test_event_allowances, moment timestamp with time zone, per_second double precision, burst double precision) RETURNS double precision
    LANGUAGE sql STABLE
    RETURN LEAST(burst, ((a).tokens + ((GREATEST((0)::numeric, EXTRACT(epoch FROM (moment - (a).refilled_at))))::double precision * per_second)));


--
-- Name: api_keys; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.api_keys (
    org_id uuid NOT NULL,
    id uuid NOT NULL,
    name text,
    key_hash bytea NOT NULL,
    read_only boolean NOT NULL,
    created_at timestamp with time zone NOT NULL,
    expires_at timestamp with time zone,
    last_used_at timestamp with time zone
);


--
-- Name: applications; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.applications (
    org_id uuid NOT NULL,
    client_id uuid NOT NULL,
    name text NOT NULL,
    redirect_uris text[] NOT NULL,
    post_logout_redirect_uris text[] NOT NULL,
    confidential boolean NOT NULL,
    client_secret_hash bytea,
    id_token_signed_response_alg text NOT NULL,
    require_pkce boolean NOT NULL,
    groups_claim boolean DEFAULT true NOT NULL,
    refresh_token_grace_ms double precision DEFAULT 10000 NOT NULL,
    created_at timestamp with time zone NOT NULL,
    CONSTRAINT applications_check CHECK ((confidential = (client_secret_hash IS NOT NULL))),
    CONSTRAINT applications_check1 CHECK ((confidential OR require_pkce)),
    CONSTRAINT applications_id_token_signed_response_alg_check CHECK ((id_token_signed_response_alg = ANY (ARRAY['RS256'::text, 'ES256'::text]))),
    CONSTRAINT applications_refresh_token_grace_ms_check CHECK (((refresh_token_grace_ms >= (0)::double precision) AND (refresh_token_grace_ms <= (60000)::double precision)))
);


--
-- Name: deliveries; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.deliveries (
    org_id uuid NOT NULL,
    webhook_id uuid NOT NULL,
    event_id uuid NOT NULL,
    trigger_name text NOT NULL,
    trigger_created_at timestamp with time zone,
    is_leased boolean DEFAULT false NOT NULL,
    available_at timestamp with time zone NOT NULL,
    lease_token uuid,
    attempts_count integer DEFAULT 0 NOT NULL,
    window_attempts integer DEFAULT 0 NOT NULL,
    window_opened_at timestamp with time zone,
    attempt_log jsonb DEFAULT '[]'::jsonb NOT NULL
)
WITH (fillfactor='85', autovacuum_vacuum_scale_factor='0.02', autovacuum_vacuum_cost_delay='0');


--
-- Name: delivery_counts; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.delivery_counts (
    org_id uuid NOT NULL,
    webhook_id uuid NOT NULL,
    day date NOT NULL,
    status text NOT NULL,
    count bigint NOT NULL,
    CONSTRAINT delivery_counts_status_check CHECK ((status = ANY (ARRAY['succeeded'::text, 'dropped'::text, 'cancelled'::text])))
)
WITH (fillfactor='50');


--
-- Name: events; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.events (
    org_id uuid NOT NULL,
    id uuid NOT NULL,
    name text NOT NULL,
    payload text NOT NULL
)
PARTITION BY RANGE (id);


--
-- Name: events_20261125; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.events_20261125 (
    org_id uuid NOT NULL,
    id uuid NOT NULL,
    name text NOT NULL,
    payload text NOT NULL
);


--
-- Name: finished_deliveries; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.finished_deliveries (
    org_id uuid NOT NULL,
    webhook_id uuid NOT NULL,
    event_id uuid NOT NULL,
    trigger_type text DEFAULT 'event'::text NOT NULL,
    trigger_name text NOT NULL,
    status text NOT NULL,
    reason text,
    attempts_count integer NOT NULL,
    attempt_log jsonb NOT NULL,
    dropped_claims text[],
    finished_at timestamp with time zone NOT NULL,
    CONSTRAINT finished_deliveries_status_check CHECK ((status = ANY (ARRAY['succeeded'::text, 'dropped'::text, 'cancelled'::text]))),
    CONSTRAINT finished_deliveries_trigger_type_check CHECK ((trigger_type = ANY (ARRAY['event'::text, 'sync_hook'::text])))
)
PARTITION BY RANGE (event_id);


--
-- Name: finished_deliveries_20261125; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.finished_deliveries_20261125 (
    org_id uuid NOT NULL,
    webhook_id uuid NOT NULL,
    event_id uuid NOT NULL,
    trigger_type text DEFAULT 'event'::text NOT NULL,
    trigger_name text NOT NULL,
    status text NOT NULL,
    reason text,
    attempts_count integer NOT NULL,
    attempt_log jsonb NOT NULL,
    dropped_claims text[],
    finished_at timestamp with time zone NOT NULL,
    CONSTRAINT finished_deliveries_status_check CHECK ((status = ANY (ARRAY['succeeded'::text, 'dropped'::text, 'cancelled'::text]))),
    CONSTRAINT finished_deliveries_trigger_type_check CHECK ((trigger_type = ANY (ARRAY['event'::text, 'sync_hook'::text])))
);


--
-- Name: flows; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.flows (
    org_id uuid NOT NULL,
    id uuid NOT NULL,
    interaction_uid text NOT NULL COLLATE pg_catalog."C",
    correlation_id uuid NOT NULL,
    client_address text NOT NULL,
    user_agent text NOT NULL,
    window_location text NOT NULL,
    credential_id uuid,
    state_hash bytea,
    secret_hash bytea,
    expected bytea,
    begun_at timestamp with time zone,
    consumed_at timestamp with time zone,
    ended_at timestamp with time zone,
    expires_at timestamp with time zone NOT NULL
);
ALTER TABLE ONLY public.flows ALTER COLUMN org_id SET (n_distinct=1);


--
-- Name: former_identities; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.former_identities (
    org_id uuid NOT NULL,
    person_id uuid NOT NULL,
    provider text NOT NULL,
    issuer text NOT NULL COLLATE pg_catalog."C",
    subject_hash bytea NOT NULL
);


--
-- Name: groups; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.groups (
    org_id uuid NOT NULL,
    name text NOT NULL COLLATE pg_catalog."C",
    description text NOT NULL,
    created_at timestamp with time zone NOT NULL
);


--
-- Name: handles; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.handles (
    org_id uuid NOT NULL,
    person_id uuid NOT NULL,
    type text NOT NULL,
    key text NOT NULL COLLATE pg_catalog."C",
    value text NOT NULL,
    verified boolean NOT NULL,
    vouched_by text COLLATE pg_catalog."C",
    "position" smallint NOT NULL,
    CONSTRAINT handles_type_check CHECK ((type = ANY (ARRAY['EmailAddress'::text, 'PhoneNumber'::text])))
);


--
-- Name: identities; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.identities (
    org_id uuid NOT NULL,
    id uuid NOT NULL,
    person_id uuid NOT NULL,
    provider text NOT NULL,
    issuer text NOT NULL COLLATE pg_catalog."C",
    subject text NOT NULL COLLATE pg_catalog."C",
    credential_id uuid NOT NULL,
    email text,
    created_at timestamp with time zone NOT NULL
);


--
-- Name: installation; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.installation (
    only_row boolean DEFAULT true NOT NULL,
    base_url text NOT NULL,
    master_key_check bytea NOT NULL,
    CONSTRAINT installation_only_row_check CHECK (only_row)
);


--
-- Name: issuer_grants; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.issuer_grants (
    org_id uuid NOT NULL,
    id text NOT NULL COLLATE pg_catalog."C",
    person_id uuid NOT NULL,
    session_uid text COLLATE pg_catalog."C",
    payload json NOT NULL,
    claims json NOT NULL,
    authenticated_methods text[] NOT NULL,
    expires_at timestamp with time zone NOT NULL
);


--
-- Name: issuer_interactions; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.issuer_interactions (
    org_id uuid NOT NULL,
    uid text NOT NULL COLLATE pg_catalog."C",
    payload json NOT NULL,
    window_location text NOT NULL,
    result json,
    person_id uuid,
    expires_at timestamp with time zone NOT NULL
);


--
-- Name: issuer_keys; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.issuer_keys (
    org_id uuid NOT NULL,
    kid text NOT NULL,
    alg text NOT NULL,
    private_key bytea NOT NULL,
    published_at timestamp with time zone NOT NULL,
    signs_from timestamp with time zone,
    withdrawn_at timestamp with time zone,
    CONSTRAINT issuer_keys_alg_check CHECK ((alg = ANY (ARRAY['RS256'::text, 'ES256'::text])))
);


--
-- Name: issuer_sessions; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.issuer_sessions (
    org_id uuid NOT NULL,
    uid text NOT NULL COLLATE pg_catalog."C",
    id_hash bytea NOT NULL,
    person_id uuid NOT NULL,
    credential_id uuid NOT NULL,
    authentications json NOT NULL,
    payload json NOT NULL,
    expires_at timestamp with time zone NOT NULL
);


--
-- Name: issuer_tokens; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.issuer_tokens (
    org_id uuid NOT NULL,
    id_hash bytea NOT NULL,
    kind text NOT NULL,
    grant_id text NOT NULL COLLATE pg_catalog."C",
    payload json NOT NULL,
    consumed_at timestamp with time zone,
    uses smallint DEFAULT 0 NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    CONSTRAINT issuer_tokens_kind_check CHECK ((kind = ANY (ARRAY['AuthorizationCode'::text, 'AccessToken'::text, 'RefreshToken'::text])))
);


--
-- Name: lanes; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.lanes (
    org_id uuid NOT NULL,
    webhook_id uuid NOT NULL,
    next_due_at timestamp with time zone DEFAULT 'infinity'::timestamp with time zone NOT NULL,
    in_flight integer DEFAULT 0 NOT NULL,
    max_in_flight integer DEFAULT 1 NOT NULL,
    saturated boolean DEFAULT false NOT NULL,
    leased_by uuid,
    healthy boolean DEFAULT false NOT NULL,
    failing boolean DEFAULT false NOT NULL,
    failing_since timestamp with time zone,
    cooldown_until timestamp with time zone DEFAULT '-infinity'::timestamp with time zone NOT NULL,
    paused_reason text,
    resumed_at timestamp with time zone DEFAULT '-infinity'::timestamp with time zone NOT NULL,
    CONSTRAINT lanes_paused_reason_check CHECK ((paused_reason = ANY (ARRAY['requested'::text, 'failing'::text])))
)
WITH (fillfactor='50', autovacuum_vacuum_scale_factor='0', autovacuum_vacuum_threshold='500', autovacuum_vacuum_cost_delay='0');


--
-- Name: memberships; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.memberships (
    org_id uuid NOT NULL,
    person_id uuid NOT NULL,
    group_name text NOT NULL COLLATE pg_catalog."C"
);


--
-- Name: oidc_credentials; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.oidc_credentials (
    org_id uuid NOT NULL,
    id uuid NOT NULL,
    client_id text NOT NULL COLLATE pg_catalog."C",
    provider text NOT NULL,
    client_secret bytea NOT NULL,
    label text NOT NULL,
    external_cred_id text NOT NULL,
    options jsonb NOT NULL,
    issuer text COLLATE pg_catalog."C",
    version integer DEFAULT 1 NOT NULL
);


--
-- Name: organizations; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.organizations (
    id uuid NOT NULL,
    name text NOT NULL,
    pricing_tier text NOT NULL,
    self_registration boolean DEFAULT true NOT NULL,
    allowed_email_domains text[] DEFAULT '{}'::text[] NOT NULL,
    link_by_verified_email boolean DEFAULT false NOT NULL,
    created_at timestamp with time zone NOT NULL,
    deleted_at timestamp with time zone
);


--
-- Name: persons; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.persons (
    org_id uuid NOT NULL,
    id uuid NOT NULL,
    active boolean NOT NULL,
    region text NOT NULL,
    created_at timestamp with time zone NOT NULL
);


--
-- Name: person_records; Type: VIEW; Schema: public; Owner: -
--

CREATE VIEW public.person_records AS
 SELECT p.org_id,
    p.id AS person_id,
    p.active,
    p.region,
    p.created_at,
    COALESCE(( SELECT json_agg(json_build_object('type', h.type, 'value', h.value, 'verified', h.verified) ORDER BY h."position") AS json_agg
           FROM public.handles h
          WHERE ((h.org_id = p.org_id) AND (h.person_id = p.id))), '[]'::json) AS handles,
    ARRAY( SELECT m.group_name
           FROM public.memberships m
          WHERE ((m.org_id = p.org_id) AND (m.person_id = p.id))
          ORDER BY m.group_name) AS groups
   FROM public.persons p;


--
-- Name: schema_migrations; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.schema_migrations (
    name text NOT NULL,
    sha256 text NOT NULL,
    breaking boolean NOT NULL,
    applied_at timestamp with time zone DEFAULT now() NOT NULL
);


--
-- Name: signing_keys; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.signing_keys (
    org_id uuid NOT NULL,
    kid text NOT NULL,
    public_jwk text NOT NULL,
    private_key bytea NOT NULL,
    published_at timestamp with time zone NOT NULL,
    signs_from timestamp with time zone,
    withdrawn_at timestamp with time zone
);


--
-- Name: triggers; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.triggers (
    org_id uuid NOT NULL,
    webhook_id uuid NOT NULL,
    type text NOT NULL,
    name text NOT NULL,
    on_failure text NOT NULL,
    created_at timestamp with time zone NOT NULL,
    CONSTRAINT triggers_on_failure_check CHECK ((on_failure = ANY (ARRAY['fail'::text, 'continue'::text]))),
    CONSTRAINT triggers_type_check CHECK ((type = ANY (ARRAY['event'::text, 'sync_hook'::text])))
);


--
-- Name: webhooks; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.webhooks (
    org_id uuid NOT NULL,
    id uuid NOT NULL,
    target_url text NOT NULL,
    target_key text NOT NULL COLLATE pg_catalog."C",
    name text NOT NULL,
    description text NOT NULL,
    custom_headers bytea,
    timeout_ms double precision NOT NULL,
    created_at timestamp with time zone NOT NULL,
    CONSTRAINT webhooks_target_key_check CHECK ((target_key <> ''::text))
);


--
-- Name: workers; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.workers (
    id uuid NOT NULL,
    registered_at timestamp with time zone NOT NULL,
    missing_since timestamp with time zone
);


--
-- Name: events_20261125; Type: TABLE ATTACH; Schema: public; Owner: -
--

ALTER TABLE ONLY public.events ATTACH PARTITION public.events_20261125 FOR VALUES FROM ('01a21000-8800-7000-8000-000000000000') TO ('01a21526-e400-7000-8000-000000000000');


--
-- Name: finished_deliveries_20261125; Type: TABLE ATTACH; Schema: public; Owner: -
--

ALTER TABLE ONLY public.finished_deliveries ATTACH PARTITION public.finished_deliveries_20261125 FOR VALUES FROM ('01a21000-8800-7000-8000-000000000000') TO ('01a21526-e400-7000-8000-000000000000');


--
-- Data for Name: api_keys; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.api_keys VALUES ('01a21321-ae29-77c6-a9a6-24f51b35bcde', '01a21321-ae29-77c7-a917-dbb5cb4394e7', NULL, '\x2671f9e8419bfc20263a6d4cb6a0e4aad3ee36e518d5f6e0a3495e352c08979c', false, '2026-11-25 14:35:04.105+00', NULL, '2026-11-25 14:35:00+00');


--
-- Data for Name: applications; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.applications VALUES ('01a21321-ae29-77c6-a9a6-24f51b35bcde', '01a21321-aea0-70e4-94a5-0d7de0737f78', 'An application', '{https://app.test/callback}', '{}', true, '\x3880c6323245268a968efab0843a992e3afb1a1af308b1e036d435f3991ec85d', 'RS256', true, true, 10000, '2026-11-25 14:35:04.224+00');


--
-- Data for Name: deliveries; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.deliveries VALUES ('01a21321-ae29-77c6-a9a6-24f51b35bcde', '01a21321-b025-7043-b1c4-4f8f123d8918', '01a21321-b048-70df-8a8c-ce23fdd2537f', 'PersonCreated_v1', '2026-11-25 14:35:04.616+00', false, '2026-11-25 14:35:04.648+00', NULL, 0, 0, NULL, '[]');
INSERT INTO public.deliveries VALUES ('01a21321-ae29-77c6-a9a6-24f51b35bcde', '01a21321-b025-7043-b1c4-4f8f123d8918', '01a21321-b156-7494-b8e7-111610a2b521', 'PersonCreated_v1', '2026-11-25 14:35:04.616+00', false, '2026-11-25 14:35:04.918+00', NULL, 0, 0, NULL, '[]');
INSERT INTO public.deliveries VALUES ('01a21321-ae29-77c6-a9a6-24f51b35bcde', '01a21321-b025-7043-b1c4-4f8f123d8918', '01a21321-b1b1-73e2-8329-93ab371a0c93', 'PersonCreated_v1', '2026-11-25 14:35:04.616+00', false, '2026-11-25 14:35:05.009+00', NULL, 0, 0, NULL, '[]');
INSERT INTO public.deliveries VALUES ('01a21321-ae29-77c6-a9a6-24f51b35bcde', '01a21321-b1d8-7707-ae3d-ef95a9c3a2e3', '01a21321-b1df-7374-abd0-a7be2c694443', 'PersonDeleted_v1', '2026-11-25 14:35:05.051+00', true, '2026-11-25 14:35:30.076+00', '01a21321-b1f4-7736-a463-3fa2038bcfba', 1, 1, NULL, '[]');
INSERT INTO public.deliveries VALUES ('01a21321-ae29-77c6-a9a6-24f51b35bcde', '01a21321-affd-7679-b4c5-a3b77de482ab', '01a21321-b239-7749-8be5-c3197ad38a5a', 'PersonCreated_v1', '2026-11-25 14:35:04.598+00', false, '2026-11-25 14:35:05.145+00', NULL, 0, 0, NULL, '[]');
INSERT INTO public.deliveries VALUES ('01a21321-ae29-77c6-a9a6-24f51b35bcde', '01a21321-b01d-76c5-b003-080cfe7a88fb', '01a21321-b239-7749-8be5-c3197ad38a5a', 'PersonCreated_v1', '2026-11-25 14:35:04.61+00', false, '2026-11-25 14:35:05.145+00', NULL, 0, 0, NULL, '[]');
INSERT INTO public.deliveries VALUES ('01a21321-ae29-77c6-a9a6-24f51b35bcde', '01a21321-b025-7043-b1c4-4f8f123d8918', '01a21321-b239-7749-8be5-c3197ad38a5a', 'PersonCreated_v1', '2026-11-25 14:35:04.616+00', false, '2026-11-25 14:35:05.145+00', NULL, 0, 0, NULL, '[]');


--
-- Data for Name: delivery_counts; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.delivery_counts VALUES ('01a21321-ae29-77c6-a9a6-24f51b35bcde', '01a21321-b02f-7037-8022-ea3c033695d9', '2026-11-25', 'cancelled', 1);
INSERT INTO public.delivery_counts VALUES ('01a21321-ae29-77c6-a9a6-24f51b35bcde', '01a21321-affd-7679-b4c5-a3b77de482ab', '2026-11-25', 'succeeded', 6);
INSERT INTO public.delivery_counts VALUES ('01a21321-ae29-77c6-a9a6-24f51b35bcde', '01a21321-b01d-76c5-b003-080cfe7a88fb', '2026-11-25', 'dropped', 3);


--
-- Data for Name: events_20261125; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.events_20261125 VALUES ('01a21321-ae29-77c6-a9a6-24f51b35bcde', '01a21321-b048-70df-8a8c-ce23fdd2537f', 'PersonCreated_v1', '{"event_metadata":{"is_test_event":true,"event_id":"01a21321-b048-70df-8a8c-ce23fdd2537f","timestamp":"2026-11-25T14:35:04.648901367Z","source":1,"event_type":"PersonCreated","event_name":"PersonCreated_v1","event_version":1,"organization_id":"01a21321-ae29-77c6-a9a6-24f51b35bcde"},"analytics_metadata":{"analytics_correlation_id":"01a21321-b044-730e-9198-4dc6ee257c7b","client_ip_address":"127.0.0.1"},"person_id":"0199a3f2-5c00-7000-8000-0242ac120002","region":"local"}');
INSERT INTO public.events_20261125 VALUES ('01a21321-ae29-77c6-a9a6-24f51b35bcde', '01a21321-b156-7494-b8e7-111610a2b521', 'PersonCreated_v1', '{"event_metadata":{"is_test_event":false,"event_id":"01a21321-b156-7494-b8e7-111610a2b521","timestamp":"2026-11-25T14:35:04.918399902Z","source":1,"event_type":"PersonCreated","event_name":"PersonCreated_v1","event_version":1,"organization_id":"01a21321-ae29-77c6-a9a6-24f51b35bcde"},"analytics_metadata":{"analytics_correlation_id":"01a21321-b0f7-710d-9f79-a6f5d919b6e1","client_ip_address":"127.0.0.1"},"person_id":"01a21321-b144-752f-81d6-1f22de7f73fe","region":"local"}');
INSERT INTO public.events_20261125 VALUES ('01a21321-ae29-77c6-a9a6-24f51b35bcde', '01a21321-b156-7495-94dc-5b45d1d6521b', 'AuthenticationSucceeded_v1', '{"event_metadata":{"is_test_event":false,"event_id":"01a21321-b156-7495-94dc-5b45d1d6521b","timestamp":"2026-11-25T14:35:04.918399902Z","source":2,"event_type":"AuthenticationSucceeded","event_name":"AuthenticationSucceeded_v1","event_version":1,"organization_id":"01a21321-ae29-77c6-a9a6-24f51b35bcde"},"analytics_metadata":{"analytics_correlation_id":"01a21321-b0f7-710d-9f79-a6f5d919b6e1","client_ip_address":"127.0.0.1"},"browser_metadata":{"user_agent":"A browser","window_location":""},"person_id":"01a21321-b144-752f-81d6-1f22de7f73fe","region":"local","success_authn_method":"oidc","authenticated_methods":["oidc"]}');
INSERT INTO public.events_20261125 VALUES ('01a21321-ae29-77c6-a9a6-24f51b35bcde', '01a21321-b1b1-73e2-8329-93ab371a0c93', 'PersonCreated_v1', '{"event_metadata":{"is_test_event":false,"event_id":"01a21321-b1b1-73e2-8329-93ab371a0c93","timestamp":"2026-11-25T14:35:05.009560791Z","source":1,"event_type":"PersonCreated","event_name":"PersonCreated_v1","event_version":1,"organization_id":"01a21321-ae29-77c6-a9a6-24f51b35bcde"},"analytics_metadata":{"analytics_correlation_id":"01a21321-b188-731e-b8a3-869ec5cc9d81","client_ip_address":"127.0.0.1"},"person_id":"01a21321-b1a9-7401-ab99-d203d09db926","region":"local"}');
INSERT INTO public.events_20261125 VALUES ('01a21321-ae29-77c6-a9a6-24f51b35bcde', '01a21321-b1b1-73e3-9624-4fc4567c3dd0', 'AuthenticationSucceeded_v1', '{"event_metadata":{"is_test_event":false,"event_id":"01a21321-b1b1-73e3-9624-4fc4567c3dd0","timestamp":"2026-11-25T14:35:05.009560791Z","source":2,"event_type":"AuthenticationSucceeded","event_name":"AuthenticationSucceeded_v1","event_version":1,"organization_id":"01a21321-ae29-77c6-a9a6-24f51b35bcde"},"analytics_metadata":{"analytics_correlation_id":"01a21321-b188-731e-b8a3-869ec5cc9d81","client_ip_address":"127.0.0.1"},"browser_metadata":{"user_agent":"A browser","window_location":""},"person_id":"01a21321-b1a9-7401-ab99-d203d09db926","region":"local","success_authn_method":"oidc","authenticated_methods":["oidc"]}');
INSERT INTO public.events_20261125 VALUES ('01a21321-ae29-77c6-a9a6-24f51b35bcde', '01a21321-b1df-7374-abd0-a7be2c694443', 'PersonDeleted_v1', '{"event_metadata":{"is_test_event":true,"event_id":"01a21321-b1df-7374-abd0-a7be2c694443","timestamp":"2026-11-25T14:35:05.055194091Z","source":1,"event_type":"PersonDeleted","event_name":"PersonDeleted_v1","event_version":1,"organization_id":"01a21321-ae29-77c6-a9a6-24f51b35bcde"},"person_id":"0199a3f2-5c00-7000-8000-0242ac120002","region":"local","handles":[{"type":0,"value":"jo@example.com"},{"type":1,"value":"+12025550123"}],"groups":["staff"]}');
INSERT INTO public.events_20261125 VALUES ('01a21321-ae29-77c6-a9a6-24f51b35bcde', '01a21321-b239-7749-8be5-c3197ad38a5a', 'PersonCreated_v1', '{"event_metadata":{"is_test_event":false,"event_id":"01a21321-b239-7749-8be5-c3197ad38a5a","timestamp":"2026-11-25T14:35:05.145123291Z","source":1,"event_type":"PersonCreated","event_name":"PersonCreated_v1","event_version":1,"organization_id":"01a21321-ae29-77c6-a9a6-24f51b35bcde"},"analytics_metadata":{"analytics_correlation_id":"01a21321-b238-71ed-876b-c71ea533fd7c","client_ip_address":"127.0.0.1"},"person_id":"01a21321-b238-71ee-a52f-9b6eff533082","region":"local"}');


--
-- Data for Name: finished_deliveries_20261125; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.finished_deliveries_20261125 VALUES ('01a21321-ae29-77c6-a9a6-24f51b35bcde', '01a21321-affd-7679-b4c5-a3b77de482ab', '01a21321-b048-70df-8a8c-ce23fdd2537f', 'event', 'PersonCreated_v1', 'succeeded', NULL, 1, '[{"jti": "01a21321-b06e-7108-869e-8879c3138363", "number": 1, "started_at": "2026-11-25T14:35:04.693Z", "duration_ms": 19.839, "status_code": 200}]', NULL, '2026-11-25 14:35:04.721+00');
INSERT INTO public.finished_deliveries_20261125 VALUES ('01a21321-ae29-77c6-a9a6-24f51b35bcde', '01a21321-b02f-7037-8022-ea3c033695d9', '01a21321-b048-70df-8a8c-ce23fdd2537f', 'event', 'PersonCreated_v1', 'cancelled', 'trigger_deleted', 0, '[]', NULL, '2026-11-25 14:35:04.743+00');
INSERT INTO public.finished_deliveries_20261125 VALUES ('01a21321-ae29-77c6-a9a6-24f51b35bcde', '01a21321-b01d-76c5-b003-080cfe7a88fb', '01a21321-b048-70df-8a8c-ce23fdd2537f', 'event', 'PersonCreated_v1', 'dropped', 'retry_window_over', 2, '[{"jti": "01a21321-b06e-7109-ae99-c89f9b2af616", "answer": "", "number": 1, "started_at": "2026-11-25T14:35:04.696Z", "duration_ms": 18.925, "status_code": 500}, {"jti": "01a21321-b0b5-7025-ae6d-c48528accf4c", "answer": "", "number": 2, "started_at": "2026-11-25T14:35:04.758Z", "duration_ms": 2.051, "status_code": 500}]', NULL, '2026-11-25 14:35:04.765+00');
INSERT INTO public.finished_deliveries_20261125 VALUES ('01a21321-ae29-77c6-a9a6-24f51b35bcde', '01a21321-b029-76ff-ad0d-832c16b7dd3b', '01a21321-b145-701e-87a3-b730da60d66f', 'sync_hook', 'token_minted', 'succeeded', NULL, 1, '[{"jti": "01a21321-b148-71c7-9f84-d6f7c499fa5d", "number": 1, "started_at": "2026-11-25T14:35:04.905Z", "duration_ms": 7.784, "status_code": 200}]', '{iss}', '2026-11-25 14:35:04.913+00');
INSERT INTO public.finished_deliveries_20261125 VALUES ('01a21321-ae29-77c6-a9a6-24f51b35bcde', '01a21321-affd-7679-b4c5-a3b77de482ab', '01a21321-b156-7495-94dc-5b45d1d6521b', 'event', 'AuthenticationSucceeded_v1', 'succeeded', NULL, 1, '[{"jti": "01a21321-b164-73c3-9f0f-cab305ed05e1", "number": 1, "started_at": "2026-11-25T14:35:04.935Z", "duration_ms": 7.156, "status_code": 200}]', NULL, '2026-11-25 14:35:04.964+00');
INSERT INTO public.finished_deliveries_20261125 VALUES ('01a21321-ae29-77c6-a9a6-24f51b35bcde', '01a21321-affd-7679-b4c5-a3b77de482ab', '01a21321-b156-7494-b8e7-111610a2b521', 'event', 'PersonCreated_v1', 'succeeded', NULL, 1, '[{"jti": "01a21321-b165-77ce-a72d-d574e2b37791", "number": 1, "started_at": "2026-11-25T14:35:04.936Z", "duration_ms": 10.99, "status_code": 200}]', NULL, '2026-11-25 14:35:04.964+00');
INSERT INTO public.finished_deliveries_20261125 VALUES ('01a21321-ae29-77c6-a9a6-24f51b35bcde', '01a21321-b01d-76c5-b003-080cfe7a88fb', '01a21321-b156-7494-b8e7-111610a2b521', 'event', 'PersonCreated_v1', 'dropped', 'retry_window_over', 2, '[{"jti": "01a21321-b164-73c2-959a-d4ee6179d6d0", "answer": "", "number": 1, "started_at": "2026-11-25T14:35:04.932Z", "duration_ms": 7.606, "status_code": 500}, {"jti": "01a21321-b195-7659-9029-7e4982727063", "answer": "", "number": 2, "started_at": "2026-11-25T14:35:04.982Z", "duration_ms": 4.404, "status_code": 500}]', NULL, '2026-11-25 14:35:04.992+00');
INSERT INTO public.finished_deliveries_20261125 VALUES ('01a21321-ae29-77c6-a9a6-24f51b35bcde', '01a21321-b029-76ff-ad0d-832c16b7dd3b', '01a21321-b1a9-7402-a88d-5543e23a48bb', 'sync_hook', 'token_minted', 'succeeded', NULL, 1, '[{"jti": "01a21321-b1a9-7403-9d14-b7c0cb37a302", "number": 1, "started_at": "2026-11-25T14:35:05.002Z", "duration_ms": 4.705, "status_code": 200}]', '{iss}', '2026-11-25 14:35:05.007+00');
INSERT INTO public.finished_deliveries_20261125 VALUES ('01a21321-ae29-77c6-a9a6-24f51b35bcde', '01a21321-affd-7679-b4c5-a3b77de482ab', '01a21321-b1b1-73e2-8329-93ab371a0c93', 'event', 'PersonCreated_v1', 'succeeded', NULL, 1, '[{"jti": "01a21321-b1b9-7526-a511-fb4dfba4b88e", "number": 1, "started_at": "2026-11-25T14:35:05.018Z", "duration_ms": 4.719, "status_code": 200}]', NULL, '2026-11-25 14:35:05.028+00');
INSERT INTO public.finished_deliveries_20261125 VALUES ('01a21321-ae29-77c6-a9a6-24f51b35bcde', '01a21321-affd-7679-b4c5-a3b77de482ab', '01a21321-b1b1-73e3-9624-4fc4567c3dd0', 'event', 'AuthenticationSucceeded_v1', 'succeeded', NULL, 1, '[{"jti": "01a21321-b1b9-7527-8468-9f0aed628cef", "number": 1, "started_at": "2026-11-25T14:35:05.019Z", "duration_ms": 4.884, "status_code": 200}]', NULL, '2026-11-25 14:35:05.048+00');
INSERT INTO public.finished_deliveries_20261125 VALUES ('01a21321-ae29-77c6-a9a6-24f51b35bcde', '01a21321-b01d-76c5-b003-080cfe7a88fb', '01a21321-b1b1-73e2-8329-93ab371a0c93', 'event', 'PersonCreated_v1', 'dropped', 'retry_window_over', 2, '[{"jti": "01a21321-b1ba-752c-b02b-c0e906fb14ec", "answer": "", "number": 1, "started_at": "2026-11-25T14:35:05.020Z", "duration_ms": 4.665, "status_code": 500}, {"jti": "01a21321-b1e0-724b-a81d-d2a1d3364926", "answer": "", "number": 2, "started_at": "2026-11-25T14:35:05.056Z", "duration_ms": 2.25, "status_code": 500}]', NULL, '2026-11-25 14:35:05.065+00');
INSERT INTO public.finished_deliveries_20261125 VALUES ('01a21321-ae29-77c6-a9a6-24f51b35bcde', '01a21321-affd-7679-b4c5-a3b77de482ab', '01a21321-b1df-7374-abd0-a7be2c694443', 'event', 'PersonDeleted_v1', 'succeeded', NULL, 1, '[{"jti": "01a21321-b1e5-76b8-9c99-054096a6c987", "number": 1, "started_at": "2026-11-25T14:35:05.061Z", "duration_ms": 1.878, "status_code": 200}]', NULL, '2026-11-25 14:35:05.065+00');


--
-- Data for Name: flows; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.flows VALUES ('01a21321-ae29-77c6-a9a6-24f51b35bcde', '01a21321-b0f7-710c-b0bf-45dceb8e8576', 'fKJ3SQwF2qnNeTjzOLkgMAA2INwb3QqE5is3lTQ6oLa', '01a21321-b0f7-710d-9f79-a6f5d919b6e1', '127.0.0.1', 'A browser', '', '01a21321-ae7f-77b4-a3ab-aaeeef2fbb87', '\xcac6bcbe45967997396ce0c45117b10883bacd1506d07452e6a19d7e9a36f886', '\x683decd2a570c537fe41020ea1b432993cf3bf7a1eef2a95a7d6f44acf01777c', '\xc2932c06dd9c065fe3345e8eadaedc68d61f30f8a89744c1ed1629cf6b5d6c7de31745adafecc450f6fb5f18ee8d2ca9d3e2bf9541b1b1d39e59333f5974e9dd4a9febb03eb933fccdd230feaf8634878054d933b785d8d5e4cbc1885ef4cee8533d12be55e03647e653f7b2117bce9a9989d4b3988c7af2bbbcc43a5c5ed9aa886e1e8c18fa873983bcdccb70dcea7feaa39d159fc729facff5f7edfc04b2de7e9261c6e1b0e6e815b3df05b17c309878dfa9bc0b97c866e7ce9b', '2026-11-25 14:35:04.87+00', '2026-11-25 14:35:04.87+00', '2026-11-25 14:35:04.915+00', '2026-11-25 14:37:34.87+00');
INSERT INTO public.flows VALUES ('01a21321-ae29-77c6-a9a6-24f51b35bcde', '01a21321-b188-731d-8691-c44891c4f3c9', 'wOQd3kBNkRSaJ5mQWRkJ36ezVAI8SWL5o3o-QX6x_tH', '01a21321-b188-731e-b8a3-869ec5cc9d81', '127.0.0.1', 'A browser', '', '01a21321-ae7f-77b4-a3ab-aaeeef2fbb87', '\xfb49f87afedd83922822efb2e7c842fb1d15ba8dd87b05308cc04c2bf80f4655', '\x2cda67172c5fa52b0ced2bcbe9e103fa23808abfd67008e8e6ab9d35c9707a2a', '\x280d7ca285db38b66ce91a218eb412c2778e24aaf6accba8439cf912d4869cc53b90a62c70c0156ef12bf373c5b09f35d7a59702acc227340b5ea1ce77849e5854959f5d3b12c3babe871bcc42e1d7fcc4c50f6c0486bf283f6eb6fed5e6b51454bf7a818c8e80dfe6fa72e895936d3745c9d24a735607dff5191f71325e0dd8c12706640891162344fb589bcbbbd90d230a0ada57a921940eec78c592909f945052b43f3fff4b214ca0689a0a9696428c86973f145510b8b42651', '2026-11-25 14:35:04.99+00', '2026-11-25 14:35:04.99+00', '2026-11-25 14:35:05.007+00', '2026-11-25 14:37:34.99+00');
INSERT INTO public.flows VALUES ('01a21321-ae29-77c6-a9a6-24f51b35bcde', '01a21321-b1d5-7531-83f9-00234f9480f8', 'qiA-OcILWx1tllZMwt6F9qhhkD3-Z5Wh_sXa8iEAkxT', '01a21321-b1d5-7532-8752-3531bcc555e7', '127.0.0.1', 'A browser', '', '01a21321-ae7f-77b4-a3ab-aaeeef2fbb87', '\x2280a9e111d011d823bb2a5013d9e4537d127857fe7927a5177f7ac377845cdf', '\x2500e117bbb4639c66033bc63b9705e029761c0adf176719500b66138558fc2e', '\xcc6829355f29fd8c4cef2be8d2273423a776413f10cca7d2b5d7c94505004e5e79cfd966da0e59dd47c91b051dcb0fb3388f82d00d306a246fdbdd7eac697edbc64c0fcdf8348c46dd018ebd44b052b8310c91a0c46b7b3a06a776dcc7c72d9a4e8cc52988ec5b8461d589c6793a3097a2e4ad10295bdb3a6c3a3a8472655410da8955338466a54cda0a7583d007daaa1598953b7f61b58b8c47102ea0f32372501274d725c7bacb75f9d3223f98575b74b71a7c1b5af6a104ab80', NULL, NULL, NULL, '2026-11-25 14:50:05.045+00');


--
-- Data for Name: former_identities; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.former_identities VALUES ('01a21321-ae29-77c6-a9a6-24f51b35bcde', '01a21321-b1a9-7401-ab99-d203d09db926', 'provider_a', 'http://127.0.0.1:37853', '\x46fdae29620a12a9aacbbc73f5fc7aeb4eb997d686bfb289be1dae882cfb61e0');


--
-- Data for Name: groups; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.groups VALUES ('01a21321-ae29-77c6-a9a6-24f51b35bcde', 'engineering', '', '2026-11-25 14:35:04.804+00');


--
-- Data for Name: handles; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.handles VALUES ('01a21321-ae29-77c6-a9a6-24f51b35bcde', '01a21321-b144-752f-81d6-1f22de7f73fe', 'EmailAddress', 'ada@gmail.com', 'ada@gmail.com', true, 'http://127.0.0.1:37853', 0);
INSERT INTO public.handles VALUES ('01a21321-ae29-77c6-a9a6-24f51b35bcde', '01a21321-b1a9-7401-ab99-d203d09db926', 'EmailAddress', 'grace@gmail.com', 'grace@gmail.com', true, 'http://127.0.0.1:37853', 0);
INSERT INTO public.handles VALUES ('01a21321-ae29-77c6-a9a6-24f51b35bcde', '01a21321-b238-71ee-a52f-9b6eff533082', 'PhoneNumber', '+4930123456', '+4930123456', false, NULL, 0);


--
-- Data for Name: identities; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.identities VALUES ('01a21321-ae29-77c6-a9a6-24f51b35bcde', '01a21321-b153-7586-9fe0-e48d5fa55b11', '01a21321-b144-752f-81d6-1f22de7f73fe', 'provider_a', 'http://127.0.0.1:37853', 'ada-1', '01a21321-ae7f-77b4-a3ab-aaeeef2fbb87', 'ada@gmail.com', '2026-11-25 14:35:04.915+00');


--
-- Data for Name: installation; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.installation VALUES (true, 'https://id.signet.test', '\x01b0ef94c9d8276b600f1945424a49797aa736c174194a6b7225a514ab8276eb3fefa23781477fca5b5139');


--
-- Data for Name: issuer_grants; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.issuer_grants VALUES ('01a21321-ae29-77c6-a9a6-24f51b35bcde', 'F41HtvKdxYSR8KQK2DCHb4Q8tsVlwCfJK3GPnjfErdM', '01a21321-b144-752f-81d6-1f22de7f73fe', NULL, '{"iat":1795617304,"exp":1803396964,"clientId":"01a21321-aea0-70e4-94a5-0d7de0737f78","accountId":"01a21321-b144-752f-81d6-1f22de7f73fe","kind":"Grant","openid":{"scope":"openid offline_access"}}', '{"department":"engineering"}', '{oidc}', '2027-02-23 15:36:04.934+00');


--
-- Data for Name: issuer_interactions; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.issuer_interactions VALUES ('01a21321-ae29-77c6-a9a6-24f51b35bcde', 'qiA-OcILWx1tllZMwt6F9qhhkD3-Z5Wh_sXa8iEAkxT', '{"iat":1795617305,"exp":1795618205,"returnTo":"https://id.signet.test/oidc/01a21321-ae29-77c6-a9a6-24f51b35bcde/authorize/qiA-OcILWx1tllZMwt6F9qhhkD3-Z5Wh_sXa8iEAkxT","prompt":{"name":"login","reasons":["sign_in"],"details":{}},"params":{"client_id":"01a21321-aea0-70e4-94a5-0d7de0737f78","code_challenge":"apugAM_KjElVXU0aDAVmvtzIpgLyxCLsc_ViYJC6pa8","code_challenge_method":"S256","nonce":"gauwG0QE6ORGulmg8H4CDLwbwwaIpgv37tSTKZFBwAE","redirect_uri":"https://app.test/callback","response_type":"code","scope":"openid","state":"o1VH_rU9Ch2clNc2P2T679OJfKdVgyHlLSMNn6euBBc"},"cid":"wzY2wy9Rh4Frq8l-6VTM8WIYUytnuDrim1KYH6sQ4K-","kind":"Interaction","jti":"qiA-OcILWx1tllZMwt6F9qhhkD3-Z5Wh_sXa8iEAkxT"}', '', NULL, NULL, '2026-11-25 14:50:05.043+00');


--
-- Data for Name: issuer_keys; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.issuer_keys VALUES ('01a21321-ae29-77c6-a9a6-24f51b35bcde', '0b9SiZGVzftzEHSbgaR3jF0PR3OhD9luKeQTJVbxlcU', 'ES256', '\x01b0ef94c9d8276b608fff546354fdb50869c9cbdc92097116768d70913d6e9fb49a62990aea29c1ccaa0f966ef08c1ccea0722e42ad2f691042563d3598d6a6cadaab40fe531520585c947dc6b28781be3467552a52f0bdc6e3ff034b5175c7ca6678d9c1faa37487fff2e4b64a74c1ab5a4ce7e12cf8d0bec494b9200cc07db9e385c2a8efc16e96db94bb9d403f0ec64b656f7b0412becb7c5e5314a192fe5198c51ba6bd7b479122d1766d1b20', '2026-11-25 14:35:04.29+00', '2026-11-25 14:35:04.29+00', NULL);
INSERT INTO public.issuer_keys VALUES ('01a21321-ae29-77c6-a9a6-24f51b35bcde', 'rTrVDnJaduKXRUrr44xlnaK5KoxA7w3aNPWyAX-4a98', 'ES256', '\x01b0ef94c9d8276b607570f377f0618c3655ab06c2ccf3546af4c3a2b9aa971ac4f03b11c329026dc06d610f7c986cbd9ea16472dfee29b2e8812f1345f0ef91132fd2c7c2ab6cf157228674bb4430258a3c34da73cd73ec2d03f3847ff3884eb23933bc1bce9d2ef0aed96d36add7c1e153f4e25f62c62e4e6666a5cae6945d8f1646495f50d3f0c25428aab5f13fb49ed7e09c5e5452fb297565286925c02492b6549759fb49accd3a67d33a43bb', '2026-11-25 14:35:04.29+00', NULL, NULL);
INSERT INTO public.issuer_keys VALUES ('01a21321-ae29-77c6-a9a6-24f51b35bcde', 'munnUE__ckMcdD8xVbxc-V15JCk8Ry8rjcXTFa6yaAE', 'RS256', '\x01b0ef94c9d8276b60b8941db5b5ae6f2566449a302c4cd99ef181d9e63804fdacae86d410269f11375a31756f0c412916318a7d90f368c2337bed4b5f5ea0d602af170ba7826b06b413c4eb6984b73226fbfa8561db0d492dc1f0a2303c25de4172acabb008c8144c7a826e6f3f8f9e71562aeea914c54b410dc1f96c7e058fb2a82d1ca362b98d2d8144960653c960f387ee43aa3686a5ae54130f43a274c378fe2ac1ab5360d0a7abfa35cf68029cb027442e030c629a3e47cd36cf7e3f1fea2660c3b2e6be0a90e4825d66a0f7b3fecc30443ba2a75696f9ea5837d806563d0af13de7e38310bc5f44c76c22f8a24ebfaf421fde58c1358e8fb823785f923275c17effaa2ceed742cd7f95bdbf88d0417bc5a0c99c6e96ee6d47a0a50fa57a730f0312a17d4ab13ce5b911c7a7ad46acfefc00162f5136b7d9558cc210c5361ac3d7b5d40d6a66def200dc069419ac092976d5f4b2e5f67bcc61f6d003da4e455fb6cda4f7e18a375c4bc7b10fb2a2133e3d63feec5ceed36b6ad0ae54df6b86b16477f861e9b8feef34f8e7d1bb54cb66ecf8a459451bd924e91a6510f95617e81508c7f6336e845f8b1627d83017b825a9148262d14614fa76bc2eb86ec7c0f20016a6a9cf8ca4bc29c248c113c9b93e63cbd82e542b1674deaecd662721cf6c6705127f9ae37fccff68b78a26fbedc635d036da9d5040fa3bf0d3fec92793f976413df70192ab7494c873ffb76dff951c0df87ef090ec53a01660a674df30754af4066ff4024cdedb7521dbe23936d7f5a5d46ae34f1b372b537d6200a2ab74c20cafe3f7f87f52ff46801a195a578a61cc18c87750b1f6cadd9e2a0978a89dfbe2418776b249bd35ac55a802abb5bdf2e01b4c044fc0471fcf4570a7d082056cbbb2a037c94d88ebc7003aa6041180c47ed7c931668b1f2d76a25dab8a59c9ab2d222975735d345227b57c19d5ac438857d867aa3e4b745edced54f531bbc2da46c8bba1b654fc9f702109c1e948ea1809f711f4e8c899612da390968f9b1f4058d4157ae3e8bc924c27d4421ea7fa4971f533721fbbbad556d87cdea31e531c9de58bab985d606025a14d7f7985451b2ec4f9c9fae322a31435ba6e3153fb3bb2c8aefda0e33c8797004fadc6335d9e182db7554d78ee9a451402cd05ae80a396da8088d6263281612e03e53a0fdff022290850eda7e50eb24bf821db98fd6a57164444553265011728343a5c93683b6817966218e10b9299e95cf9424726e65845bd7c076caaefe59029be8fc6964986111261d289fbde7136d6705b04779d6e1fc32ec8be97359fe245a80553358481913cf814ef4995daef61d768115b02da352746262faba70dec2621280842ab4213dede3d88efdf726865e7b23ff9e383bc7f6baacc6a3ca8583d47227997fcf19d28ef27010f3883b235acfe298838452b01bab9ec08946b178e80a90f52c8feedfd86bafaf0331c771622a5901639d7bd98624fd03ed48814d8d226776c380723ed28e80cae91a0a50d7b2282e443d9513fa1d26d73db3e1b10c857c3a5c1f05b6077e68ab8157a88eab735cf998144a21e1f56f46b0e5caded731bf8ac82d0c075839bd9899574898a01541e0045544145bc350161b76ba9c28772cece358ed27e10b55fb5f94dd28a299c25642ab14d47a7297cb37d4c38f12f74895ab66a0a12771dd5b4af39bdbcb04898e27b0c1609ee4932eab9992e93fc0ec3d368e577bcf10bd905b5877b8c15c647b2258e8fce', '2026-11-25 14:35:04.29+00', '2026-11-25 14:35:04.29+00', NULL);
INSERT INTO public.issuer_keys VALUES ('01a21321-ae29-77c6-a9a6-24f51b35bcde', 'cQcjWAGxN1hHnGPftKMf_uxYRX-Jg5n4557McN4zejI', 'RS256', '\x01b0ef94c9d8276b609e39fda6140a2107ed90f167afaa9b86bcf13a78faf20aa8937868d6427cf03b1cb4df8062ab36bdefa816d2f47835e2d074d10cac1a0f5305d8b62612776566a59ad4e9886eff73f3cc446bf2516d48affb460457e4da3b6c056a532ac8e729a0fca783dc773a2aba869d86348c3409cb9fe4330cd43896e56b9ce9c716327570ba8cc5f94141ab84e2d7b1a16fb4fc1f09addc5e6f1b8d7a026337d1217c36ec6f5a0926e08da04ce08c0bac2d51f6e74ce8046fe1bb7fdc747b39e41b4d6b1b34474e83d78884fcfb68fc35fe0f51af87d09657868db6ade415600ce6e7e8b7b3c87acf191cb731bb76ce8b7fd168c3fea02b51ca073bcacfe931b49cd282cb906fa363303ff5a5fc090147b281ec3a3d881390082bc2f62512053d9867a21f7f893eef3944d6007da2fe8354de27d743b54b6ef6d3a98fddefe700ee04332b131b7a09543ee635b48500295dabc51b2be97df992cde4f9cf9c7e20f3203183e3f706701dcafc643ef14c22f1b8e94f622147a6c85729a7a7a7ae79e77c9057a268ef4346720cab171762ed092d148c14598fbac3776c20e7cc024c151c9f16afb7d661d369130cf7a2b8a651063cde419b1725f1234a1865ad27e3c3dad2d975a3570cfd7e48792409d60c7610da76593b2545ef0de4dbcef889a1a3541790f405edaf52bf5d106cbedb30f41dc255389cdd60daf2a6f0c517e3b27c07d437cb72b3b8c91cf22b4556fafb6cff10474ba1f95704027c86cad47a879af27358f3c66e4aeb69aaa48b91ac79fec3d127360b5eaab19005d20d747a9a47c1e0926446a3e51dce6e57d299847a8df3b09114622749dcfc55d794c24b1304f005bb7835ea7675c882e400efa8048f33faddfac7b21fb63f6a893d55810f9109c24070c64eb3f09b57d097edc3041500c864fb9bf94e56077cf36fcc7e7d57d7b9bd5f802b375ef839b0c2ec0ced2b40614b3438f2acd26e5ca26f81affbc63606e56d0e8f4ef045ac7a5fdd3770772b302398a72f37c54ce909749514dff2988d681735d160e13a249286e73a5634dd8c659a0bb8cd2572ae2f0e438adb5ea31d0bd72951fc33cdc6b1e3ffe79026901904af7b561b940ed810f3ac1026208229da3025e93251bceb68d1346746d1ca0dc2bf12ea71fd4c8535a0e6945bfe0aa1e7e7f1d4fd3803de5aedcf3f61836b727476f5dac5894a7233380356b1db4526ddeea46103399f031596206889da907fc2472e2fe9da0b0c92d5d897678646091c1c7cf521609d764f686c529477c155e69abdc47e1ebbc507f6e1f9993bb44963b45bb3af00cf2f54caa265f288a35dd25db72f76c77993881a8475fff0afd835bbbab4144d45410dabbdf52b5a3688103c72ed3af75761a4cebc9d31fd308115bee48b29b7b1e764bf52748bbcdfb07418a0035a0331157340a7943f9cc4b4ca46aa6f780a54be7d3f9a30d2c99660902e33363fb4dd53dfa19bce6809bc679ea95f7892a3322786e0e4b0bcedf55e3b23feaa48a74e01fc659655139e619e0d73ff04c3b5180fd78bec6562c2867604a1de963c11d38ad76172f0137f4980de32617c49365f801a3cb07afc113624361cd79401fed8382a4f02028036122ccf66b5caf4b5c3f01e4376c9703fcf0cc5218d8c3e60807d2c58f25366eed23061a38c8cceac5167432c21eb84527b2344cc278fb25c741b3ab15fe8701e15d21deb1f527a944f8bb97d1c4b416acb2c28cfd34426fc9d485470ea5054', '2026-11-25 14:35:04.29+00', NULL, NULL);


--
-- Data for Name: issuer_sessions; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.issuer_sessions VALUES ('01a21321-ae29-77c6-a9a6-24f51b35bcde', 'hFVFikRo4DZNdznQFpin-UBqSrAD1BY8fjLz_YqPKy9', '\x97873e3d7d97a1bde72724dee4ce2eb177c44024366ea9fcb1f7f2f2f999df88', '01a21321-b144-752f-81d6-1f22de7f73fe', '01a21321-ae7f-77b4-a3ab-aaeeef2fbb87', '[{"handle":{"type":"EmailAddress","value":"ada@gmail.com"},"method":"oidc","timestamp":"2026-11-25T14:35:04.900Z"}]', '{"iat":1795617304,"exp":1796826904,"kind":"Session","uid":"hFVFikRo4DZNdznQFpin-UBqSrAD1BY8fjLz_YqPKy9","accountId":"01a21321-b144-752f-81d6-1f22de7f73fe","loginTs":1795617304,"authorizations":{"01a21321-aea0-70e4-94a5-0d7de0737f78":{"sid":"0DYp5wTgSCbRzLzGrDkF0mN_h2lFnHESIhNsQlJIGhV","grantId":"F41HtvKdxYSR8KQK2DCHb4Q8tsVlwCfJK3GPnjfErdM","persistsLogout":true}}}', '2026-12-09 14:35:04.9+00');


--
-- Data for Name: issuer_tokens; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.issuer_tokens VALUES ('01a21321-ae29-77c6-a9a6-24f51b35bcde', '\x8cc1b1bc866ba417bfaedc105b6bb5f7b3c45fb18761bc4f58bb84aee1609879', 'AuthorizationCode', 'F41HtvKdxYSR8KQK2DCHb4Q8tsVlwCfJK3GPnjfErdM', '{"iat":1795617304,"exp":1795617364,"accountId":"01a21321-b144-752f-81d6-1f22de7f73fe","authTime":1795617304,"codeChallenge":"3UMyUJDRCIZx5aZ5Okn7ktBwAtkN55jbmoFrNZWM83s","codeChallengeMethod":"S256","grantId":"F41HtvKdxYSR8KQK2DCHb4Q8tsVlwCfJK3GPnjfErdM","nonce":"LoQLcrLw-GuGn1geRaV91clNXZ2hciaagFNuW5AUSUc","redirectUri":"https://app.test/callback","scope":"openid offline_access","sessionUid":"hFVFikRo4DZNdznQFpin-UBqSrAD1BY8fjLz_YqPKy9","kind":"AuthorizationCode","clientId":"01a21321-aea0-70e4-94a5-0d7de0737f78"}', '2026-11-25 14:35:04.953462+00', 1, '2026-11-25 14:36:04.93+00');
INSERT INTO public.issuer_tokens VALUES ('01a21321-ae29-77c6-a9a6-24f51b35bcde', '\xe4483588be8e94ece9e30b7d31440bc1daeac7c12e2c96dd6b99b4feb52e4b55', 'AccessToken', 'F41HtvKdxYSR8KQK2DCHb4Q8tsVlwCfJK3GPnjfErdM', '{"iat":1795617304,"exp":1795620904,"accountId":"01a21321-b144-752f-81d6-1f22de7f73fe","grantId":"F41HtvKdxYSR8KQK2DCHb4Q8tsVlwCfJK3GPnjfErdM","gty":"authorization_code","sessionUid":"hFVFikRo4DZNdznQFpin-UBqSrAD1BY8fjLz_YqPKy9","kind":"AccessToken","clientId":"01a21321-aea0-70e4-94a5-0d7de0737f78","scope":"openid offline_access"}', NULL, 0, '2026-11-25 15:35:04.947+00');
INSERT INTO public.issuer_tokens VALUES ('01a21321-ae29-77c6-a9a6-24f51b35bcde', '\x7f7b280fc8a885f4b63ce4d82588e0ed458d6673027abbc167082e19dd75030e', 'RefreshToken', 'F41HtvKdxYSR8KQK2DCHb4Q8tsVlwCfJK3GPnjfErdM', '{"iat":1795617304,"exp":1798209304,"accountId":"01a21321-b144-752f-81d6-1f22de7f73fe","authTime":1795617304,"grantId":"F41HtvKdxYSR8KQK2DCHb4Q8tsVlwCfJK3GPnjfErdM","gty":"authorization_code","nonce":"LoQLcrLw-GuGn1geRaV91clNXZ2hciaagFNuW5AUSUc","rotations":0,"scope":"openid offline_access","sessionUid":"hFVFikRo4DZNdznQFpin-UBqSrAD1BY8fjLz_YqPKy9","kind":"RefreshToken","clientId":"01a21321-aea0-70e4-94a5-0d7de0737f78","iiat":1795617304}', NULL, 0, '2026-12-25 14:35:04.948+00');


--
-- Data for Name: lanes; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.lanes VALUES ('01a21321-ae29-77c6-a9a6-24f51b35bcde', '01a21321-b029-76ff-ad0d-832c16b7dd3b', 'infinity', 0, 1, false, NULL, false, false, NULL, '-infinity', NULL, '-infinity');
INSERT INTO public.lanes VALUES ('01a21321-ae29-77c6-a9a6-24f51b35bcde', '01a21321-b02f-7037-8022-ea3c033695d9', 'infinity', 0, 1, false, '01a21321-ad84-768f-8193-20cef73ae808', false, false, NULL, '-infinity', NULL, '2026-11-25 14:35:04.679+00');
INSERT INTO public.lanes VALUES ('01a21321-ae29-77c6-a9a6-24f51b35bcde', '01a21321-b1d8-7707-ae3d-ef95a9c3a2e3', 'infinity', 1, 1, true, '01a21321-ad84-768f-8193-20cef73ae808', false, false, NULL, '-infinity', NULL, '-infinity');
INSERT INTO public.lanes VALUES ('01a21321-ae29-77c6-a9a6-24f51b35bcde', '01a21321-b025-7043-b1c4-4f8f123d8918', '2026-11-25 14:35:04.652+00', 0, 1, false, NULL, false, false, NULL, '-infinity', 'requested', '-infinity');
INSERT INTO public.lanes VALUES ('01a21321-ae29-77c6-a9a6-24f51b35bcde', '01a21321-b01d-76c5-b003-080cfe7a88fb', '2026-11-25 14:35:05.147+00', 0, 1, false, '01a21321-ad84-768f-8193-20cef73ae808', false, true, '2026-11-25 14:35:04.743+00', '2026-11-25 14:35:05.065+00', NULL, '-infinity');
INSERT INTO public.lanes VALUES ('01a21321-ae29-77c6-a9a6-24f51b35bcde', '01a21321-affd-7679-b4c5-a3b77de482ab', '2026-11-25 14:35:05.147+00', 0, 485, false, '01a21321-ad84-768f-8193-20cef73ae808', true, false, NULL, '-infinity', NULL, '-infinity');


--
-- Data for Name: memberships; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.memberships VALUES ('01a21321-ae29-77c6-a9a6-24f51b35bcde', '01a21321-b144-752f-81d6-1f22de7f73fe', 'engineering');


--
-- Data for Name: oidc_credentials; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.oidc_credentials VALUES ('01a21321-ae29-77c6-a9a6-24f51b35bcde', '01a21321-ae7f-77b4-a3ab-aaeeef2fbb87', 'signet', 'provider_a', '\x01b0ef94c9d8276b60dfb16675c3cda87a6078a257030117cafa534b15b7da78ba88dcb1eff87648206feed642deb84e4e289bddf54a8e21e925f453fad1a750b8346671ed1eb824e4487da2a2', '', '', '{}', NULL, 1);


--
-- Data for Name: organizations; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.organizations VALUES ('01a21321-ae29-77c6-a9a6-24f51b35bcde', 'Kept', 'unlimited', true, '{}', false, '2026-11-25 14:35:04.105+00', NULL);


--
-- Data for Name: persons; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.persons VALUES ('01a21321-ae29-77c6-a9a6-24f51b35bcde', '01a21321-b144-752f-81d6-1f22de7f73fe', true, 'local', '2026-11-25 14:35:04.915+00');
INSERT INTO public.persons VALUES ('01a21321-ae29-77c6-a9a6-24f51b35bcde', '01a21321-b1a9-7401-ab99-d203d09db926', true, 'local', '2026-11-25 14:35:05.007+00');
INSERT INTO public.persons VALUES ('01a21321-ae29-77c6-a9a6-24f51b35bcde', '01a21321-b238-71ee-a52f-9b6eff533082', true, 'local', '2026-11-25 14:35:05.144+00');


--
-- Data for Name: schema_migrations; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.schema_migrations VALUES ('0001_organizations.sql', 'baf686cdaa07792d2898d0451f26e593aaba1cbb6bcf3eca40ee81345279272e', false, '2026-11-25 14:35:00.110106+00');
INSERT INTO public.schema_migrations VALUES ('0002_signing_keys.sql', 'fbc62c6a79309cd758848fac512588be881b575dcea2126ccf29a0a07bf1ecd2', false, '2026-11-25 14:35:00.114836+00');
INSERT INTO public.schema_migrations VALUES ('0003_groups_and_persons.sql', '01ae7cdb67faef589fca2540d10141a90fa7ab3d1b8591ca879b7bad4eb5c3ac', false, '2026-11-25 14:35:00.117241+00');
INSERT INTO public.schema_migrations VALUES ('0004_webhooks.sql', 'a6f0b6ffcde81fd57f1ae90a0e1603cf98df888fe974622756e573da71072a54', false, '2026-11-25 14:35:00.122953+00');
INSERT INTO public.schema_migrations VALUES ('0005_events.sql', '6a4a5696d11b33bc8e8403e387b722619ee8a307c6a5adc3c5867772510fe354', false, '2026-11-25 14:35:00.126468+00');
INSERT INTO public.schema_migrations VALUES ('0006_deliveries.sql', 'bd0c7ff3a83334e6c7d00b0ab38d6f777c8c3bb8039f1c4200ec50db9f2029da', false, '2026-11-25 14:35:00.129178+00');
INSERT INTO public.schema_migrations VALUES ('0007_credentials_and_applications.sql', 'c4a0f209e4cede31d33542d29fb6145042533fa3d6d2ca2640b983bcc9f66fe4', false, '2026-11-25 14:35:00.135457+00');
INSERT INTO public.schema_migrations VALUES ('0008_issuer.sql', '7a2de6cb4f9555dbb50d26404061d966ad69356af52049b6bf1e66e60682d65b', false, '2026-11-25 14:35:00.13983+00');
INSERT INTO public.schema_migrations VALUES ('0009_sign_in.sql', '79bcf0d451fab66f5c0a6cee22165e8db5d44ff811bac359033f2253a25a05bc', false, '2026-11-25 14:35:00.147909+00');


--
-- Data for Name: signing_keys; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.signing_keys VALUES ('01a21321-ae29-77c6-a9a6-24f51b35bcde', 'khGskX5tA7nqI4WsKaAPRi7mkAu7XK1CvJrQI3hn2bQ', '{"alg":"ES256","crv":"P-256","key_ops":["verify"],"kid":"khGskX5tA7nqI4WsKaAPRi7mkAu7XK1CvJrQI3hn2bQ","kty":"EC","use":"sig","x":"I5JDhKYWNkesFSw5O9Zmd8gAIVkA2v7qLrusWkKFQGA","y":"r1CowB-DVPryZ-Pc1jeCdT88Gs4oufMtLimugrO96Qs"}', '\x01b0ef94c9d8276b60ee4e970d42019e6eff38933e29104c114431aebf5f38febe2cf817fd42ecdd02c61c6b25cfa8181b9a19b2fdc93faf4273f66bbddd9db9451000fca8de6c92fb476592929b769e9ca12194700544b07fcd4b8d8b703472e3bc6b5cc2049696f36af5104ad88def8f418bf3f64ad0f4b0d29ae6053efb129830a55bef75a752f55751b7bfc87223cde8d3ce832ae1697d16408c31cc23e5b85325360fad4a195eefcec2c92744', '2026-11-25 14:35:04.113+00', '2026-11-25 14:35:04.113+00', NULL);
INSERT INTO public.signing_keys VALUES ('01a21321-ae29-77c6-a9a6-24f51b35bcde', 'wM_XNAFhowN7R-ov4cdcFqMQXMijkVbITtv5EqP72mY', '{"alg":"ES256","crv":"P-256","key_ops":["verify"],"kid":"wM_XNAFhowN7R-ov4cdcFqMQXMijkVbITtv5EqP72mY","kty":"EC","use":"sig","x":"KtqqdVSOZAd7rvtea52C4UoRYFcBbQoeULctUY5BUV4","y":"LM2s3yZ10mgM2266hYCELtIgaA6QWqAdd__antoWyWQ"}', '\x01b0ef94c9d8276b608ec6c8aa8f980966b76748e7e49f4805651a02360c81ba67f2f3d98cbbb78a34d3e7e50d4749fd1eb4d317c71f3f90c81b329e29adc976a831d45bbcbc9801c592a27be139c6273481bf717d5c826f1170ffb980839d5931066627501c136899367ce37ffafd4ab4a61a464422258efa602fb891c6fecf159a51c84dbd41e3418957f203aae20280c0f0a7d56c4ce375fa9e8add30917caaa473349fdc0ec0075c48ca220c79', '2026-11-25 14:35:04.113+00', NULL, NULL);


--
-- Data for Name: test_event_allowances; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.test_event_allowances VALUES ('01a21321-ae29-77c6-a9a6-24f51b35bcde', 99999, '2026-11-25 14:35:05.054+00');


--
-- Data for Name: triggers; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.triggers VALUES ('01a21321-ae29-77c6-a9a6-24f51b35bcde', '01a21321-affd-7679-b4c5-a3b77de482ab', 'event', 'AuthenticationSucceeded_v1', 'fail', '2026-11-25 14:35:04.585+00');
INSERT INTO public.triggers VALUES ('01a21321-ae29-77c6-a9a6-24f51b35bcde', '01a21321-affd-7679-b4c5-a3b77de482ab', 'event', 'AuthenticationFailed_v1', 'fail', '2026-11-25 14:35:04.59+00');
INSERT INTO public.triggers VALUES ('01a21321-ae29-77c6-a9a6-24f51b35bcde', '01a21321-affd-7679-b4c5-a3b77de482ab', 'event', 'VirtualPageLoaded_v1', 'fail', '2026-11-25 14:35:04.594+00');
INSERT INTO public.triggers VALUES ('01a21321-ae29-77c6-a9a6-24f51b35bcde', '01a21321-affd-7679-b4c5-a3b77de482ab', 'event', 'PersonCreated_v1', 'fail', '2026-11-25 14:35:04.598+00');
INSERT INTO public.triggers VALUES ('01a21321-ae29-77c6-a9a6-24f51b35bcde', '01a21321-affd-7679-b4c5-a3b77de482ab', 'event', 'PersonDeleted_v1', 'fail', '2026-11-25 14:35:04.601+00');
INSERT INTO public.triggers VALUES ('01a21321-ae29-77c6-a9a6-24f51b35bcde', '01a21321-b01d-76c5-b003-080cfe7a88fb', 'event', 'PersonCreated_v1', 'fail', '2026-11-25 14:35:04.61+00');
INSERT INTO public.triggers VALUES ('01a21321-ae29-77c6-a9a6-24f51b35bcde', '01a21321-b025-7043-b1c4-4f8f123d8918', 'event', 'PersonCreated_v1', 'fail', '2026-11-25 14:35:04.616+00');
INSERT INTO public.triggers VALUES ('01a21321-ae29-77c6-a9a6-24f51b35bcde', '01a21321-b029-76ff-ad0d-832c16b7dd3b', 'sync_hook', 'token_minted', 'fail', '2026-11-25 14:35:04.621+00');
INSERT INTO public.triggers VALUES ('01a21321-ae29-77c6-a9a6-24f51b35bcde', '01a21321-b1d8-7707-ae3d-ef95a9c3a2e3', 'event', 'PersonDeleted_v1', 'fail', '2026-11-25 14:35:05.051+00');


--
-- Data for Name: webhooks; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.webhooks VALUES ('01a21321-ae29-77c6-a9a6-24f51b35bcde', '01a21321-affd-7679-b4c5-a3b77de482ab', 'https://receiver.test:43887/events', 'https://receiver.test:43887/events', 'Test webhook', '', '\x01b0ef94c9d8276b60a7bca483462f58e51c3471015c9a4e1be899ac1bfba4675ead4e77e8a13855f8cb60ce87fb24d7d3efc9bd621d272cc9d014bad73f2bc7984a00a0e06f6b60e1055fa1ce7818f7e541f67327', 0, '2026-11-25 14:35:04.573+00');
INSERT INTO public.webhooks VALUES ('01a21321-ae29-77c6-a9a6-24f51b35bcde', '01a21321-b01d-76c5-b003-080cfe7a88fb', 'https://receiver.test:43887/failing', 'https://receiver.test:43887/failing', 'Test webhook', '', NULL, 0, '2026-11-25 14:35:04.605+00');
INSERT INTO public.webhooks VALUES ('01a21321-ae29-77c6-a9a6-24f51b35bcde', '01a21321-b029-76ff-ad0d-832c16b7dd3b', 'https://receiver.test:43887/hook', 'https://receiver.test:43887/hook', 'Test webhook', '', NULL, 0, '2026-11-25 14:35:04.617+00');
INSERT INTO public.webhooks VALUES ('01a21321-ae29-77c6-a9a6-24f51b35bcde', '01a21321-b025-7043-b1c4-4f8f123d8918', 'https://receiver.test:43887/paused', 'https://receiver.test:43887/paused', 'Test webhook', '', NULL, 0, '2026-11-25 14:35:04.613+00');
INSERT INTO public.webhooks VALUES ('01a21321-ae29-77c6-a9a6-24f51b35bcde', '01a21321-b02f-7037-8022-ea3c033695d9', 'https://receiver.test:43887/removed', 'https://receiver.test:43887/removed', 'Test webhook', '', NULL, 0, '2026-11-25 14:35:04.623+00');
INSERT INTO public.webhooks VALUES ('01a21321-ae29-77c6-a9a6-24f51b35bcde', '01a21321-b1d8-7707-ae3d-ef95a9c3a2e3', 'https://receiver.test:43887/hanging', 'https://receiver.test:43887/hanging', 'Test webhook', '', NULL, 0, '2026-11-25 14:35:05.048+00');


--
-- Data for Name: workers; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.workers VALUES ('01a21321-ad84-768f-8193-20cef73ae808', '2026-11-25 14:35:04.013706+00', NULL);


--
-- Name: api_keys api_keys_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.api_keys
    ADD CONSTRAINT api_keys_pkey PRIMARY KEY (org_id, id);


--
-- Name: applications applications_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.applications
    ADD CONSTRAINT applications_pkey PRIMARY KEY (org_id, client_id);


--
-- Name: deliveries deliveries_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.deliveries
    ADD CONSTRAINT deliveries_pkey PRIMARY KEY (org_id, webhook_id, event_id) WITH (fillfactor='50');


--
-- Name: delivery_counts delivery_counts_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.delivery_counts
    ADD CONSTRAINT delivery_counts_pkey PRIMARY KEY (org_id, webhook_id, day, status);


--
-- Name: events events_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.events
    ADD CONSTRAINT events_pkey PRIMARY KEY (org_id, id);


--
-- Name: events_20261125 events_20261125_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.events_20261125
    ADD CONSTRAINT events_20261125_pkey PRIMARY KEY (org_id, id);


--
-- Name: finished_deliveries finished_deliveries_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.finished_deliveries
    ADD CONSTRAINT finished_deliveries_pkey PRIMARY KEY (org_id, webhook_id, event_id);


--
-- Name: finished_deliveries_20261125 finished_deliveries_20261125_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.finished_deliveries_20261125
    ADD CONSTRAINT finished_deliveries_20261125_pkey PRIMARY KEY (org_id, webhook_id, event_id);


--
-- Name: flows flows_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.flows
    ADD CONSTRAINT flows_pkey PRIMARY KEY (org_id, id);


--
-- Name: former_identities former_identities_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.former_identities
    ADD CONSTRAINT former_identities_pkey PRIMARY KEY (org_id, provider, issuer, subject_hash, person_id);


--
-- Name: groups groups_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.groups
    ADD CONSTRAINT groups_pkey PRIMARY KEY (org_id, name);


--
-- Name: handles handles_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.handles
    ADD CONSTRAINT handles_pkey PRIMARY KEY (org_id, type, key);


--
-- Name: identities identities_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.identities
    ADD CONSTRAINT identities_pkey PRIMARY KEY (org_id, id);


--
-- Name: installation installation_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.installation
    ADD CONSTRAINT installation_pkey PRIMARY KEY (only_row);


--
-- Name: issuer_grants issuer_grants_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.issuer_grants
    ADD CONSTRAINT issuer_grants_pkey PRIMARY KEY (org_id, id);


--
-- Name: issuer_interactions issuer_interactions_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.issuer_interactions
    ADD CONSTRAINT issuer_interactions_pkey PRIMARY KEY (org_id, uid);


--
-- Name: issuer_keys issuer_keys_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.issuer_keys
    ADD CONSTRAINT issuer_keys_pkey PRIMARY KEY (org_id, kid);


--
-- Name: issuer_sessions issuer_sessions_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.issuer_sessions
    ADD CONSTRAINT issuer_sessions_pkey PRIMARY KEY (org_id, uid);


--
-- Name: issuer_tokens issuer_tokens_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.issuer_tokens
    ADD CONSTRAINT issuer_tokens_pkey PRIMARY KEY (org_id, id_hash);


--
-- Name: lanes lanes_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.lanes
    ADD CONSTRAINT lanes_pkey PRIMARY KEY (org_id, webhook_id);


--
-- Name: memberships memberships_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.memberships
    ADD CONSTRAINT memberships_pkey PRIMARY KEY (org_id, person_id, group_name);


--
-- Name: oidc_credentials oidc_credentials_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.oidc_credentials
    ADD CONSTRAINT oidc_credentials_pkey PRIMARY KEY (org_id, id);


--
-- Name: organizations organizations_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.organizations
    ADD CONSTRAINT organizations_pkey PRIMARY KEY (id);


--
-- Name: persons persons_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.persons
    ADD CONSTRAINT persons_pkey PRIMARY KEY (org_id, id);


--
-- Name: schema_migrations schema_migrations_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.schema_migrations
    ADD CONSTRAINT schema_migrations_pkey PRIMARY KEY (name);


--
-- Name: signing_keys signing_keys_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.signing_keys
    ADD CONSTRAINT signing_keys_pkey PRIMARY KEY (org_id, kid);


--
-- Name: test_event_allowances test_event_allowances_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.test_event_allowances
    ADD CONSTRAINT test_event_allowances_pkey PRIMARY KEY (org_id);


--
-- Name: triggers triggers_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.triggers
    ADD CONSTRAINT triggers_pkey PRIMARY KEY (org_id, webhook_id, type, name);


--
-- Name: webhooks webhooks_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.webhooks
    ADD CONSTRAINT webhooks_pkey PRIMARY KEY (org_id, id);


--
-- Name: workers workers_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.workers
    ADD CONSTRAINT workers_pkey PRIMARY KEY (id);


--
-- Name: api_keys_by_hash; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX api_keys_by_hash ON public.api_keys USING btree (org_id, key_hash);


--
-- Name: applications_by_origin; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX applications_by_origin ON public.applications USING gin (public.origins_of(redirect_uris));


--
-- Name: deliveries_available; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX deliveries_available ON public.deliveries USING btree (org_id, webhook_id, public.priority_in_lane(trigger_name), available_at) WHERE (NOT is_leased);


--
-- Name: deliveries_leased; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX deliveries_leased ON public.deliveries USING btree (available_at) WHERE is_leased;


--
-- Name: delivery_counts_by_day; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX delivery_counts_by_day ON public.delivery_counts USING btree (day);


--
-- Name: finished_deliveries_unsuccessful_by_time; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX finished_deliveries_unsuccessful_by_time ON ONLY public.finished_deliveries USING btree (finished_at) WHERE (status <> 'succeeded'::text);


--
-- Name: finished_deliveries_20261125_finished_at_idx; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX finished_deliveries_20261125_finished_at_idx ON public.finished_deliveries_20261125 USING btree (finished_at) WHERE (status <> 'succeeded'::text);


--
-- Name: finished_deliveries_unsuccessful; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX finished_deliveries_unsuccessful ON ONLY public.finished_deliveries USING btree (org_id, webhook_id, status, event_id) WHERE (status <> 'succeeded'::text);


--
-- Name: finished_deliveries_20261125_org_id_webhook_id_status_event_idx; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX finished_deliveries_20261125_org_id_webhook_id_status_event_idx ON public.finished_deliveries_20261125 USING btree (org_id, webhook_id, status, event_id) WHERE (status <> 'succeeded'::text);


--
-- Name: flows_by_expiry; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX flows_by_expiry ON public.flows USING btree (expires_at);


--
-- Name: flows_by_interaction; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX flows_by_interaction ON public.flows USING btree (org_id, interaction_uid);


--
-- Name: flows_by_state; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX flows_by_state ON public.flows USING btree (org_id, state_hash) WHERE (state_hash IS NOT NULL);


--
-- Name: former_identities_by_person; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX former_identities_by_person ON public.former_identities USING btree (org_id, person_id, issuer);


--
-- Name: handles_by_person; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX handles_by_person ON public.handles USING btree (org_id, person_id);


--
-- Name: identities_by_person; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX identities_by_person ON public.identities USING btree (org_id, person_id, issuer);


--
-- Name: identities_by_subject; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX identities_by_subject ON public.identities USING btree (org_id, provider, issuer, subject);


--
-- Name: issuer_grants_by_expiry; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX issuer_grants_by_expiry ON public.issuer_grants USING btree (expires_at);


--
-- Name: issuer_grants_by_person; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX issuer_grants_by_person ON public.issuer_grants USING btree (org_id, person_id);


--
-- Name: issuer_grants_by_session; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX issuer_grants_by_session ON public.issuer_grants USING btree (org_id, session_uid) WHERE (session_uid IS NOT NULL);


--
-- Name: issuer_interactions_by_expiry; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX issuer_interactions_by_expiry ON public.issuer_interactions USING btree (expires_at);


--
-- Name: issuer_interactions_by_person; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX issuer_interactions_by_person ON public.issuer_interactions USING btree (org_id, person_id) WHERE (person_id IS NOT NULL);


--
-- Name: issuer_keys_by_age; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX issuer_keys_by_age ON public.issuer_keys USING btree (signs_from) WHERE (withdrawn_at IS NULL);


--
-- Name: issuer_keys_current; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX issuer_keys_current ON public.issuer_keys USING btree (org_id, alg) WHERE ((signs_from IS NOT NULL) AND (withdrawn_at IS NULL));


--
-- Name: issuer_keys_next; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX issuer_keys_next ON public.issuer_keys USING btree (org_id, alg) WHERE (signs_from IS NULL);


--
-- Name: issuer_keys_withdrawn; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX issuer_keys_withdrawn ON public.issuer_keys USING btree (withdrawn_at) WHERE (withdrawn_at IS NOT NULL);


--
-- Name: issuer_sessions_by_expiry; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX issuer_sessions_by_expiry ON public.issuer_sessions USING btree (expires_at);


--
-- Name: issuer_sessions_by_id; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX issuer_sessions_by_id ON public.issuer_sessions USING btree (org_id, id_hash);


--
-- Name: issuer_sessions_by_person; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX issuer_sessions_by_person ON public.issuer_sessions USING btree (org_id, person_id);


--
-- Name: issuer_tokens_by_expiry; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX issuer_tokens_by_expiry ON public.issuer_tokens USING btree (expires_at);


--
-- Name: issuer_tokens_by_grant; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX issuer_tokens_by_grant ON public.issuer_tokens USING btree (org_id, grant_id);


--
-- Name: lanes_due; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX lanes_due ON public.lanes USING btree (healthy, ((failing AND (NOT healthy))), next_due_at) WHERE (paused_reason IS NULL);


--
-- Name: memberships_by_group; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX memberships_by_group ON public.memberships USING btree (org_id, group_name, person_id);


--
-- Name: oidc_credentials_by_client_id; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX oidc_credentials_by_client_id ON public.oidc_credentials USING btree (org_id, client_id);


--
-- Name: organizations_deleted; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX organizations_deleted ON public.organizations USING btree (deleted_at) WHERE (deleted_at IS NOT NULL);


--
-- Name: signing_keys_by_age; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX signing_keys_by_age ON public.signing_keys USING btree (signs_from) WHERE (withdrawn_at IS NULL);


--
-- Name: signing_keys_current; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX signing_keys_current ON public.signing_keys USING btree (org_id) WHERE ((signs_from IS NOT NULL) AND (withdrawn_at IS NULL));


--
-- Name: signing_keys_next; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX signing_keys_next ON public.signing_keys USING btree (org_id) WHERE (signs_from IS NULL);


--
-- Name: signing_keys_withdrawn; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX signing_keys_withdrawn ON public.signing_keys USING btree (withdrawn_at) WHERE (withdrawn_at IS NOT NULL);


--
-- Name: triggers_by_name; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX triggers_by_name ON public.triggers USING btree (name, org_id, webhook_id);


--
-- Name: webhooks_by_target; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX webhooks_by_target ON public.webhooks USING btree (org_id, target_key) WHERE (target_key <> ''::text);


--
-- Name: events_20261125_pkey; Type: INDEX ATTACH; Schema: public; Owner: -
--

ALTER INDEX public.events_pkey ATTACH PARTITION public.events_20261125_pkey;


--
-- Name: finished_deliveries_20261125_finished_at_idx; Type: INDEX ATTACH; Schema: public; Owner: -
--

ALTER INDEX public.finished_deliveries_unsuccessful_by_time ATTACH PARTITION public.finished_deliveries_20261125_finished_at_idx;


--
-- Name: finished_deliveries_20261125_org_id_webhook_id_status_event_idx; Type: INDEX ATTACH; Schema: public; Owner: -
--

ALTER INDEX public.finished_deliveries_unsuccessful ATTACH PARTITION public.finished_deliveries_20261125_org_id_webhook_id_status_event_idx;


--
-- Name: finished_deliveries_20261125_pkey; Type: INDEX ATTACH; Schema: public; Owner: -
--

ALTER INDEX public.finished_deliveries_pkey ATTACH PARTITION public.finished_deliveries_20261125_pkey;


--
-- Name: api_keys api_keys_org_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.api_keys
    ADD CONSTRAINT api_keys_org_id_fkey FOREIGN KEY (org_id) REFERENCES public.organizations(id);


--
-- Name: applications applications_org_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.applications
    ADD CONSTRAINT applications_org_id_fkey FOREIGN KEY (org_id) REFERENCES public.organizations(id);


--
-- Name: flows flows_org_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.flows
    ADD CONSTRAINT flows_org_id_fkey FOREIGN KEY (org_id) REFERENCES public.organizations(id);


--
-- Name: former_identities former_identities_org_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.former_identities
    ADD CONSTRAINT former_identities_org_id_fkey FOREIGN KEY (org_id) REFERENCES public.organizations(id);


--
-- Name: groups groups_org_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.groups
    ADD CONSTRAINT groups_org_id_fkey FOREIGN KEY (org_id) REFERENCES public.organizations(id);


--
-- Name: handles handles_org_id_person_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.handles
    ADD CONSTRAINT handles_org_id_person_id_fkey FOREIGN KEY (org_id, person_id) REFERENCES public.persons(org_id, id) ON DELETE CASCADE;


--
-- Name: identities identities_org_id_person_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.identities
    ADD CONSTRAINT identities_org_id_person_id_fkey FOREIGN KEY (org_id, person_id) REFERENCES public.persons(org_id, id) ON DELETE CASCADE;


--
-- Name: issuer_grants issuer_grants_org_id_person_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.issuer_grants
    ADD CONSTRAINT issuer_grants_org_id_person_id_fkey FOREIGN KEY (org_id, person_id) REFERENCES public.persons(org_id, id) ON DELETE CASCADE;


--
-- Name: issuer_grants issuer_grants_org_id_session_uid_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.issuer_grants
    ADD CONSTRAINT issuer_grants_org_id_session_uid_fkey FOREIGN KEY (org_id, session_uid) REFERENCES public.issuer_sessions(org_id, uid) ON DELETE CASCADE;


--
-- Name: issuer_interactions issuer_interactions_org_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.issuer_interactions
    ADD CONSTRAINT issuer_interactions_org_id_fkey FOREIGN KEY (org_id) REFERENCES public.organizations(id);


--
-- Name: issuer_interactions issuer_interactions_org_id_person_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.issuer_interactions
    ADD CONSTRAINT issuer_interactions_org_id_person_id_fkey FOREIGN KEY (org_id, person_id) REFERENCES public.persons(org_id, id) ON DELETE CASCADE;


--
-- Name: issuer_keys issuer_keys_org_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.issuer_keys
    ADD CONSTRAINT issuer_keys_org_id_fkey FOREIGN KEY (org_id) REFERENCES public.organizations(id);


--
-- Name: issuer_sessions issuer_sessions_org_id_person_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.issuer_sessions
    ADD CONSTRAINT issuer_sessions_org_id_person_id_fkey FOREIGN KEY (org_id, person_id) REFERENCES public.persons(org_id, id) ON DELETE CASCADE;


--
-- Name: issuer_tokens issuer_tokens_org_id_grant_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.issuer_tokens
    ADD CONSTRAINT issuer_tokens_org_id_grant_id_fkey FOREIGN KEY (org_id, grant_id) REFERENCES public.issuer_grants(org_id, id) ON DELETE CASCADE;


--
-- Name: lanes lanes_org_id_webhook_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.lanes
    ADD CONSTRAINT lanes_org_id_webhook_id_fkey FOREIGN KEY (org_id, webhook_id) REFERENCES public.webhooks(org_id, id) ON DELETE CASCADE;


--
-- Name: memberships memberships_org_id_group_name_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.memberships
    ADD CONSTRAINT memberships_org_id_group_name_fkey FOREIGN KEY (org_id, group_name) REFERENCES public.groups(org_id, name) ON DELETE CASCADE;


--
-- Name: memberships memberships_org_id_person_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.memberships
    ADD CONSTRAINT memberships_org_id_person_id_fkey FOREIGN KEY (org_id, person_id) REFERENCES public.persons(org_id, id) ON DELETE CASCADE;


--
-- Name: oidc_credentials oidc_credentials_org_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.oidc_credentials
    ADD CONSTRAINT oidc_credentials_org_id_fkey FOREIGN KEY (org_id) REFERENCES public.organizations(id);


--
-- Name: persons persons_org_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.persons
    ADD CONSTRAINT persons_org_id_fkey FOREIGN KEY (org_id) REFERENCES public.organizations(id);


--
-- Name: signing_keys signing_keys_org_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.signing_keys
    ADD CONSTRAINT signing_keys_org_id_fkey FOREIGN KEY (org_id) REFERENCES public.organizations(id);


--
-- Name: test_event_allowances test_event_allowances_org_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.test_event_allowances
    ADD CONSTRAINT test_event_allowances_org_id_fkey FOREIGN KEY (org_id) REFERENCES public.organizations(id);


--
-- Name: triggers triggers_org_id_webhook_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.triggers
    ADD CONSTRAINT triggers_org_id_webhook_id_fkey FOREIGN KEY (org_id, webhook_id) REFERENCES public.webhooks(org_id, id) ON DELETE CASCADE;


--
-- Name: webhooks webhooks_org_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.webhooks
    ADD CONSTRAINT webhooks_org_id_fkey FOREIGN KEY (org_id) REFERENCES public.organizations(id);


--
-- PostgreSQL database dump complete
--

\unrestrict zdK1YxeM5OdZDoNoh1UXMBUWH5vjBPL9thnSvXGolkKlHmBuvwEKuD2cTNH0WSD

