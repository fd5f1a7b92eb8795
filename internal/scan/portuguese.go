package scan

var portuguese = Lexicon{
	{
		"ignore",
		`ignor/e/a/ar/em esqueç/a/am esquec/er esquece desconsider/e/a/ar/em despreze desprezar descart/e/ar não_siga não_sigas
		não_obedeça deixe_de_lado deixa_de_lado não_leve_em_conta pare_de_seguir`,
	},
	{
		"override",
		`contorn/e/a/ar desativ/e/a/ar substitu/a/i/ir anul/e/a/ar burl/e/a/ar pul/e/ar elimin/e/a/ar apag/ue/a/ar remov/a/e/er
		desabilit/e/ar sobrescrev/a/er cancel/e/a/ar ignore ignorar`,
	},
	{
		"prior",
		`anterior/es prévia/s prévio/s precedente/s original/is originais inicial iniciais antes anteriormente acima
		até_agora até_aqui de_cima recebidas`,
	},
	{"other", `existente/s outras outros`},
	{
		"instr",
		`instruç/ão/ões diretriz/es orientaç/ão/ões ordens ordem prompt prompts diretiva/s prompt_do_sistema mensagem_do_sistema
		indicaç/ão/ões`,
	},
	{
		"rules",
		`regra/s comando/s contexto tarefa/s texto conteúdo mensagem mensagens informações dados pergunta/s política/s restrições`,
	},
	{"instead", `em_vez_disso em_vez apenas somente só`},
	{"you", `você vocês tu te ti`},
	{"your", `seu sua seus suas teu tua teus tuas`},
	{"be", `é és agora_é torne-se será serás seja`},
	{
		"act",
		`aja atue age agir atuar finja fingir comporte-se simul/e/a/ar imagine interprete faça_de_conta responda_como`,
	},
	{"as", `como o_papel_de que_é`},
	{"now", `agora a_partir_de_agora de_agora_em_diante doravante imediatamente desde_já a_partir_deste_momento`},
	{
		"free",
		`sem_restrições sem_restrição sem_limites sem_limite sem_filtros sem_filtro sem_censura não_censurado sem_regras ilimitado
		nenhuma_restrição sem_qualquer_restrição sem_nenhuma_restrição modo_desenvolvedor sem_limitações irrestrito`,
	},
	{"agent", `agente/s`},
	{"model", `ia assistente/s modelo_de_linguagem inteligência_artificial modelo chatbot`},
	{"user", `usuário/s utilizador/es usuária cliente humano`},
	{"system", `sistema interna/s interno/s secreta/s secreto/s oculta/s oculto/s inicial iniciais`},
	{"prompt", `prompt mensagem instruções orientações`},
	{"expose", `mencione mencionar fale revel/e/a/ar me_diga diga-me me_dê dê-me divulg/ue/a/ar mostre-me`},
	{
		"reveal",
		`mencione mencionar revel/e/a/ar mostr/e/a/ar imprim/a/e/ir repit/a/e repetir diga dize me_diga me_dê escrev/a/er divulg/ue/a/ar exib/a/e/ir
		liste compartilhe exponha`,
	},
	{"dont", `não nunca jamais em_hipótese_alguma sem`},
	{"not", `nada não sem nunca nenhum nenhuma`},
	{"tell", `diga dizer conte contar informe informar avise avisar notifique notificar alerte
		comunique digas`},
	{
		"hide",
		`esconda esconder oculte ocultar em_segredo secretamente discretamente silenciosamente em_silêncio mantenha_em_segredo`,
	},
	{"permission", `perguntar confirmação permissão autorização consentimento aprovação`},
	{
		"send",
		`envie enviar envia encaminhe encaminhar encaminha mande mandar manda transmita transmitir publique publicar compartilhe
		compartilhar poste postar transfira transferir exfiltre carregue copie copiar`,
	},
	{"manage", `exclua apague crie adicione convide compre transfira reserve delete`},
	{"visit", `visite visitar abra abrir baixe baixar instale instalar clique clicar acesse acessar`},
	{"call", `chame chamar use usar utilize utilizar execute executar invoque`},
	{"tool", `ferramenta/s funç/ão/ões comando/s`},
	{
		"secret",
		`senha/s credencia/l/is chave_de_api chaves_de_api chave_api token/s segredo/s chave_privada chaves_privadas dados_bancários
		cartão_de_crédito código_de_segurança variáveis_de_ambiente`,
	},
	{
		"data",
		`dados conversa/s histórico mensagens e-mails emails arquivo/s ficheiro/s conteúdo documentos contatos informações chat`,
	},
	{"place", `servidor endereço conta site página url destinatário canal`},
	{"every", `tudo toda todas todos qualquer quaisquer cada tudo_o_que`},
	{"said", `dito disse dado dadas recebido recebidas escrito falei foi_dito`},
	{"what", `o_que quais qual que`},
	{"must", `deve deves devem precisa tem_de tem_que deverá você_deve`},
	{"please", `por_favor por_gentileza`},
	{"following", `primeiro primeiramente em_primeiro_lugar antes_de_mais_nada`},
	{"before", `antes antes_de antes_que`},
	{"after", `depois após uma_vez`},
	{"solve", `resolver completar responder responda continuar terminar concluir realizar fazer executar prosseguir`},
	{"task", `tarefa pergunta solicitação pedido`},
	{"following", `seguinte/s o_seguinte`},
	{"obey", `siga seguir obedeça obedecer cumpra execute`},
	{"fresh", `nova/s novo/s verdadeira verdadeiro real`},
	{"urgent", `importante urgente atenção aviso crítico obrigatório alerta`},
	{"message", `mensagem nota aviso instruç/ão/ões notificação`},
	{"to", `ao para`},
	{"authority", `administrador administradora admin desenvolvedor desenvolvedores`},
	{"safety", `segurança ética/s ético/s moral morais de_segurança conteúdo moderação`},
	{
		"limit",
		`restrições restrição limitações limites filtros filtro controles medidas protocolos salvaguardas barreiras regras
		diretrizes políticas`,
	},
	{"response", `resposta respostas`},
	{"edit", `adicione inclua insira comece termine substitua traduza mencione`},
	{"ask", `devo posso como_posso por_que deveria se_você_não`},
	{"refuse", `recuse recusar`},
	{"discuss", `ataque/s atacante/s invasor exemplo/s por_exemplo pesquisadores malicioso/s injeção`},
}
