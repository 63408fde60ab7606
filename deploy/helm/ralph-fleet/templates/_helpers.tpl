{{- define "ralph-fleet.image" -}}
{{- $image := .Values.image -}}
{{ required "image.repository is needed" $image.repository }}{{ if $image.digest }}@{{ $image.digest }}{{ else }}:{{ required "image.tag or image.digest is needed" $image.tag }}{{ end }}
{{- end }}

{{- define "ralph-fleet.server" -}}
- name: TEMPORAL_ADDRESS
  value: {{ .Values.server.address | quote }}
- name: TEMPORAL_NAMESPACE
  value: {{ .Values.server.namespace | quote }}
{{- if .Values.server.apiKeySecret }}
- name: TEMPORAL_API_KEY
  valueFrom:
    secretKeyRef: {name: {{ .Values.server.apiKeySecret | quote }}, key: api-key}
{{- end }}
{{- if .Values.server.tlsSecret }}
- name: TEMPORAL_TLS_SERVER_CA_CERT_PATH
  value: /etc/ralph-fleet/tls/ca.crt
- name: TEMPORAL_TLS_CLIENT_CERT_PATH
  value: /etc/ralph-fleet/tls/tls.crt
- name: TEMPORAL_TLS_CLIENT_KEY_PATH
  value: /etc/ralph-fleet/tls/tls.key
{{- end }}
{{- end }}
